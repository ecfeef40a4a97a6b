#define _GNU_SOURCE
#include "mix.h"
#include "client.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A room's gifts go on with the room's combo; one in five starts a new one. The workload of livecue-bench
   does the same. */
enum { NEW_COMBO_PERCENT = 20, SENDERS_PER_ROOM = 200, BATCH_BYTES_LIMIT = 4096, STAMP_DIGITS = 20 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct gift {
  const char *id, *name;
  int price;
};

static const struct gift gifts[] = {
    {"rose", "Rose", 1},           {"heart", "Heart", 1},
    {"beer", "Beer", 2},           {"ice", "Ice Cream", 5},
    {"lolly", "棒棒糖", 9},        {"perfume", "Perfume", 20},
    {"donut", "Donut", 30},        {"cap", "Cap", 99},
    {"confetti", "Confetti", 100}, {"glasses", "Sunglasses", 199},
    {"planet", "星球", 520},       {"rocket", "Rocket", 2000},
};

static const char *const given_names[] = {
    "Ann", "Bo",   "Mia",  "小鱼儿", "Luca",  "Nadia", "Oskar",  "阿杰",   "Priya",   "Tomás", "Yuki",
    "Zoë", "Ivan", "晚风", "Fatima", "Jonas", "Lien",  "Mateus", "Dream7", "MoonCat", "Kofi",  "Selin",
};

static const char *const surnames[] = {
    "", "", " Chen", " K.", " Novak", " 88", " Silva", " Berg", "_live", " Osei", " Tanaka", " de Wit",
};

static const char *const texts[] = {
    "hello",
    "first time here, love it",
    "哈哈哈哈",
    "wow that was close",
    "can you play that song again?",
    "主播好厉害",
    "greetings from Lisbon",
    "what time do you start tomorrow",
    "❤️❤️❤️",
    "lol",
    "more of this please",
    "let's go!!",
};

/* splitmix64: small, and the same numbers everywhere. */
static uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

struct chance {
  uint64_t state;
};

static uint32_t draw(struct chance *chance, uint32_t limit) {
  chance->state += 0x9e3779b97f4a7c15u;
  return (uint32_t)(scramble(chance->state) % limit);
}

struct combo {
  uint8_t sender, gift;
};

struct writer {
  struct mix *mix;
  struct batch *batch;
  struct chance *chance;
  struct combo *combo; /* of the batch's room */
  uint32_t index, seed;
  uint32_t next_event;
  int has_marker;
};

__attribute__((format(printf, 2, 3))) static void write_text(struct writer *writer, const char *format, ...) {
  struct mix *mix = writer->mix;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(mix->arena + mix->used, mix->capacity - mix->used, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= mix->capacity - mix->used)
    fail("mix: a batch is longer than %d bytes", BATCH_BYTES_LIMIT);
  mix->used += (size_t)length;
}

/* A sender has one name for ever, so it comes from its number and not from the run of chance. */
static void write_sender(struct writer *writer, uint32_t number) {
  uint64_t bits = scramble(((uint64_t)writer->batch->room << 32) | number);
  write_text(writer, "\"sender\":{\"id\":\"u%u\",\"name\":\"%s%s\"}", number,
             given_names[bits % COUNT(given_names)], surnames[(bits >> 32) % COUNT(surnames)]);
}

static void write_head(struct writer *writer, const char *type) {
  write_text(writer, "{\"type\":\"%s\",\"id\":\"%u-%u\",", type, writer->seed,
             writer->index * EVENTS_PER_BATCH + writer->next_event++);
}

/* The lower of two draws: cheap gifts are the common ones. */
static uint8_t draw_gift(struct chance *chance) {
  uint32_t first = draw(chance, COUNT(gifts)), second = draw(chance, COUNT(gifts));
  return (uint8_t)(first < second ? first : second);
}

static void write_gift(struct writer *writer) {
  struct combo *combo = writer->combo;
  if (draw(writer->chance, 100) < NEW_COMBO_PERCENT) {
    combo->sender = (uint8_t)draw(writer->chance, SENDERS_PER_ROOM);
    combo->gift = draw_gift(writer->chance);
  }
  const struct gift *gift = &gifts[combo->gift];
  write_head(writer, "gift");
  write_sender(writer, combo->sender);
  write_text(writer, ",\"gift\":{\"id\":\"%s\",\"name\":\"%s\",\"price\":%d}", gift->id, gift->name,
             gift->price);
  /* A gift without a count counts one, as most do. */
  if (draw(writer->chance, 4) == 0)
    write_text(writer, ",\"count\":%u", 2 + draw(writer->chance, 9));
  write_text(writer, "}");
}

static void write_comment(struct writer *writer) {
  write_head(writer, "comment");
  write_sender(writer, draw(writer->chance, SENDERS_PER_ROOM));
  write_text(writer, ",\"text\":\"");
  if (!writer->has_marker) {
    write_text(writer, "@@%u:", writer->index);
    writer->batch->stamp = (uint32_t)(writer->mix->used - writer->batch->start);
    write_text(writer, "%0*d@@ ", STAMP_DIGITS, 0);
    writer->has_marker = 1;
  }
  write_text(writer, "%s\"}", texts[draw(writer->chance, COUNT(texts))]);
}

static void write_like(struct writer *writer) {
  write_head(writer, "like");
  write_sender(writer, draw(writer->chance, SENDERS_PER_ROOM));
  write_text(writer, ",\"count\":%u}", 1 + draw(writer->chance, 20));
}

/* The kinds of a batch's events: always the same shares, in an order of chance. */
static void shuffle_kinds(char kinds[EVENTS_PER_BATCH], struct chance *chance) {
  memset(kinds, 'g', GIFTS_PER_BATCH);
  memset(kinds + GIFTS_PER_BATCH, 'c', COMMENTS_PER_BATCH);
  memset(kinds + GIFTS_PER_BATCH + COMMENTS_PER_BATCH, 'l', LIKES_PER_BATCH);
  for (uint32_t last = EVENTS_PER_BATCH - 1; last > 0; last--) {
    uint32_t other = draw(chance, last + 1);
    char kind = kinds[last];
    kinds[last] = kinds[other];
    kinds[other] = kind;
  }
}

static void write_batch(struct writer *writer) {
  char kinds[EVENTS_PER_BATCH];
  shuffle_kinds(kinds, writer->chance);
  for (int i = 0; i < EVENTS_PER_BATCH; i++) {
    write_text(writer, i == 0 ? "[" : ",");
    switch (kinds[i]) {
    case 'g':
      write_gift(writer);
      break;
    case 'c':
      write_comment(writer);
      break;
    default:
      write_like(writer);
    }
  }
  write_text(writer, "]");
}

/* Every room has its turn before any has the next: no room is hit again within its comments' pace. */
static uint32_t *shuffled_rooms(uint32_t rooms, struct chance *chance) {
  uint32_t *order = malloc(rooms * sizeof *order);
  if (!order)
    fail("out of memory");
  for (uint32_t i = 0; i < rooms; i++) {
    uint32_t other = draw(chance, i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  return order;
}

void mix_make(struct mix *mix, uint32_t count, uint32_t rooms, uint32_t seed) {
  struct chance chance = {scramble(seed)};
  /* Pages that are never written cost nothing, so the arena is as large as the longest batches need. */
  *mix = (struct mix){.capacity = (size_t)count * BATCH_BYTES_LIMIT, .count = count, .rooms = rooms};
  mix->arena = malloc(mix->capacity);
  mix->batches = calloc(count, sizeof *mix->batches);
  if (!mix->arena || !mix->batches)
    fail("out of memory");
  uint32_t *order = shuffled_rooms(rooms, &chance);
  struct combo *combos = calloc(rooms, sizeof *combos);
  if (!combos)
    fail("out of memory");
  for (uint32_t index = 0; index < count; index++) {
    struct batch *batch = &mix->batches[index];
    *batch = (struct batch){.room = order[index % rooms], .start = mix->used};
    struct writer writer = {.mix = mix,
                            .batch = batch,
                            .chance = &chance,
                            .combo = &combos[batch->room],
                            .index = index,
                            .seed = seed};
    write_batch(&writer);
    batch->length = (uint32_t)(mix->used - batch->start);
  }
  free(combos);
  free(order);
}

const char *mix_stamp(struct mix *mix, uint32_t index, uint64_t nanoseconds) {
  const struct batch *batch = &mix->batches[index];
  char *payload = mix->arena + batch->start;
  for (int digit = STAMP_DIGITS - 1; digit >= 0; digit--) {
    payload[batch->stamp + (uint32_t)digit] = (char)('0' + nanoseconds % 10);
    nanoseconds /= 10;
  }
  return payload;
}

static int digits_next(const char **cursor, const char *end, uint64_t *value) {
  const char *start = *cursor;
  *value = 0;
  while (*cursor < end && **cursor >= '0' && **cursor <= '9' && *cursor - start <= STAMP_DIGITS)
    *value = *value * 10 + (uint64_t)(*(*cursor)++ - '0');
  return *cursor > start;
}

int marker_next(const char **cursor, const char *end, uint32_t *batch, uint64_t *nanoseconds) {
  const char *found;
  while ((found = memmem(*cursor, (size_t)(end - *cursor), "@@", 2))) {
    uint64_t index;
    *cursor = found + 2;
    if (!digits_next(cursor, end, &index) || *cursor == end || **cursor != ':')
      continue;
    ++*cursor;
    if (!digits_next(cursor, end, nanoseconds) || end - *cursor < 2 || memcmp(*cursor, "@@", 2) != 0)
      continue;
    *cursor += 2;
    *batch = (uint32_t)index;
    return 1;
  }
  *cursor = end;
  return 0;
}

void mix_free(struct mix *mix) {
  free(mix->arena);
  free(mix->batches);
}
