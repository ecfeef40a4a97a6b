/* The mix: batches of 20 events (12 gifts, 7 comments, 1 like), about 2 KB, deterministic from a seed. */
#ifndef MIX_H
#define MIX_H

#include <stddef.h>
#include <stdint.h>

enum { GIFTS_PER_BATCH = 12, COMMENTS_PER_BATCH = 7, LIKES_PER_BATCH = 1, EVENTS_PER_BATCH = 20 };

struct batch {
  uint32_t room;
  uint32_t length;
  size_t start;   /* in the arena */
  uint32_t stamp; /* where in the payload the 20 digits of the send time go */
};

struct mix {
  char *arena;
  size_t used, capacity;
  struct batch *batches;
  uint32_t count, rooms;
};

/* Writes all batches beforehand, so that a run spends nothing on them. Event ids carry the seed: runs
   against one daemon need different seeds, or it drops the second as duplicates. */
void mix_make(struct mix *mix, uint32_t count, uint32_t rooms, uint32_t seed);

/* Writes the send time into the marker and returns the payload. */
const char *mix_stamp(struct mix *mix, uint32_t index, uint64_t nanoseconds);

/* Finds the next marker from `*cursor` on: 1 and its values, or 0 if there is none. */
int marker_next(const char **cursor, const char *end, uint32_t *batch, uint64_t *nanoseconds);

void mix_free(struct mix *mix);

#endif
