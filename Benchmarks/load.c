/* Load generator and meter in one process, so that one clock stamps what goes out and what comes back.

   throughput: closed loop. At most --window batches are out whose marker has not come back; so the broker's
               queues stay short and nothing is dropped, however slow the other side is.
   latency:    open loop. --rate batches a second, whatever comes back.

   The meter knows a batch again by the marker in its first comment, "@@<batch>:<nanoseconds>@@". */
#define _GNU_SOURCE
#include "client.h"
#include "mix.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
  READ_LIMIT = 256,
  BATCHES_LIMIT = 200000,
  SECONDS_LIMIT = 600,
  WARMUP_SECONDS = 120,
  SILENCE_SECONDS = 10
};

#define SECOND UINT64_C(1000000000)
#define DROPPED_TOPIC "$SYS/broker/publish/messages/dropped"

struct settings {
  struct client_options client;
  bool is_latency;
  uint32_t batches, warmup, rooms, seed, window;
  double rate, seconds; /* seconds: length of a latency run, limit of a throughput run */
  int qos;              /* of the meter's subscription */
};

struct output {
  uint64_t messages, bytes;
};

/* One stretch of batches that is published and waited for: the warm-up, then the measured part. */
struct phase {
  uint32_t begin, end; /* indices of its batches */
  uint32_t next;       /* the next one to publish */
  uint32_t returned;   /* of its markers */
  uint64_t started, last_return;
  uint64_t worst_lag; /* how late the generator itself was, in nanoseconds */
  struct output output_at_start, output_at_return;
};

struct load {
  struct settings settings;
  struct client publisher, meter;
  struct mix mix;
  struct phase phase;
  struct output output;
  uint64_t *latencies; /* by batch; 0: not returned */
  uint64_t repeated;   /* markers that came more than once */
  long dropped;        /* by the broker, as far as it has said so */
};

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void note_return(struct load *load, uint32_t batch, uint64_t sent, uint64_t now) {
  struct phase *phase = &load->phase;
  if (batch >= load->mix.count)
    return;
  if (load->latencies[batch] != 0) {
    load->repeated++;
    return;
  }
  load->latencies[batch] = now > sent ? now - sent : 1;
  if (batch >= phase->begin && batch < phase->end) {
    phase->returned++;
    phase->last_return = now;
    phase->output_at_return = load->output;
  }
}

static void take_output(void *context, const struct mosquitto_message *message) {
  struct load *load = context;
  const char *cursor = message->payload, *end = cursor + message->payloadlen;
  if (strcmp(message->topic, DROPPED_TOPIC) == 0) {
    load->dropped = atol(cursor ? cursor : "0");
    return;
  }
  load->output.messages++;
  load->output.bytes += (uint64_t)message->payloadlen;
  /* A snapshot repeats old comments with their markers; only commands count as an answer. */
  if (message->payloadlen == 0 || ends_with(message->topic, "/snapshot"))
    return;
  uint64_t now = nanoseconds_now(), sent;
  uint32_t batch;
  while (marker_next(&cursor, end, &batch, &sent))
    note_return(load, batch, sent, now);
}

/* The instant at which batch `index` of the phase should leave. */
static uint64_t due(const struct load *load, uint32_t index) {
  const struct phase *phase = &load->phase;
  return phase->started + (uint64_t)((index - phase->begin) * (1e9 / load->settings.rate));
}

static bool may_publish(const struct load *load, uint64_t now) {
  const struct phase *phase = &load->phase;
  if (phase->next == phase->end || load->publisher.unconfirmed >= UNCONFIRMED_LIMIT)
    return false;
  if (load->settings.is_latency)
    return now >= due(load, phase->next);
  return phase->next - phase->begin - phase->returned < load->settings.window;
}

static void publish_next(struct load *load, uint64_t now) {
  struct phase *phase = &load->phase;
  const struct batch *batch = &load->mix.batches[phase->next];
  char topic[64];
  snprintf(topic, sizeof topic, "im/room-%" PRIu32 "/batch", batch->room);
  if (load->settings.is_latency && now - due(load, phase->next) > phase->worst_lag)
    phase->worst_lag = now - due(load, phase->next);
  client_publish(&load->publisher, topic, mix_stamp(&load->mix, phase->next, now), batch->length);
  phase->next++;
}

static void publish_allowed(struct load *load) {
  uint64_t now;
  while (may_publish(load, now = nanoseconds_now())) {
    publish_next(load, now);
    /* At once, batch by batch: in an open loop the time stamp must be the time of sending. */
    if (load->settings.is_latency)
      client_write(&load->publisher);
  }
  client_write(&load->publisher);
}

static int64_t time_to_wait(const struct load *load) {
  const struct phase *phase = &load->phase;
  if (!load->settings.is_latency || phase->next == phase->end ||
      load->publisher.unconfirmed >= UNCONFIRMED_LIMIT)
    return SECOND / 10;
  return (int64_t)(due(load, phase->next) - nanoseconds_now());
}

static void exchange(struct load *load) {
  struct client *const clients[] = {&load->meter, &load->publisher};
  unsigned readable = clients_wait(clients, 2, time_to_wait(load));
  if (readable & 2u)
    client_read(&load->publisher, READ_LIMIT);
  /* Few at a time while batches are due, so that the meter's work does not delay the generator. */
  if (readable & 1u)
    client_read(&load->meter, load->settings.is_latency ? 16 : READ_LIMIT);
  client_write(&load->meter);
}

/* Publishes batches begin..<end and waits for their markers; `seconds` limits the publishing, and so, with
   the limits of what may be under way, the waiting. */
static void run_phase(struct load *load, uint32_t begin, uint32_t end, double seconds) {
  uint64_t start = nanoseconds_now(), maintained = start;
  uint64_t last_publish = start + (uint64_t)(seconds * 1e9);
  load->phase = (struct phase){.begin = begin,
                               .end = end,
                               .next = begin,
                               .started = start,
                               .output_at_start = load->output,
                               .output_at_return = load->output};
  struct phase *phase = &load->phase;
  while (phase->next < phase->end || phase->returned < phase->end - phase->begin) {
    uint64_t now = nanoseconds_now();
    if (now > last_publish && phase->next < phase->end)
      phase->end = phase->next;
    /* Silence ends it: what has not come back by then is lost. */
    if (now > (phase->last_return ? phase->last_return : start) + SILENCE_SECONDS * SECOND)
      break;
    publish_allowed(load);
    exchange(load);
    if (now - maintained > SECOND) {
      client_maintain(&load->publisher);
      client_maintain(&load->meter);
      maintained = now;
    }
  }
}

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* The latencies of the phase's returned batches, sorted, at the front of the array. */
static uint32_t sort_latencies(struct load *load) {
  uint32_t count = 0;
  for (uint32_t i = load->phase.begin; i < load->phase.end; i++) {
    if (load->latencies[i] != 0)
      load->latencies[count++] = load->latencies[i];
  }
  qsort(load->latencies, count, sizeof *load->latencies, compare);
  return count;
}

static double percentile(const struct load *load, uint32_t count, double share) {
  if (count == 0)
    return 0;
  uint32_t rank = (uint32_t)(share * count);
  return (double)load->latencies[rank < count ? rank : count - 1] / 1e6;
}

static void report(struct load *load) {
  const struct phase *phase = &load->phase;
  uint32_t published = phase->next - phase->begin;
  uint64_t messages = phase->output_at_return.messages - phase->output_at_start.messages;
  uint64_t bytes = phase->output_at_return.bytes - phase->output_at_start.bytes;
  double seconds = phase->returned ? (double)(phase->last_return - phase->started) / 1e9 : 0;
  double batches = phase->returned ? phase->returned : 1;
  printf("{\"mode\":\"%s\",\"warmup\":%u,\"batches\":%u,\"returned\":%u,\"lost\":%u,\"repeated\":%" PRIu64
         ",\"dropped_by_broker\":%ld,\"seconds\":%.6f,\"batches_per_second\":%.1f",
         load->settings.is_latency ? "latency" : "throughput", phase->begin, published, phase->returned,
         published - phase->returned, load->repeated, load->dropped, seconds,
         seconds > 0 ? phase->returned / seconds : 0);
  printf(",\"batch_bytes\":%.1f,\"messages_out\":%" PRIu64 ",\"bytes_out\":%" PRIu64
         ",\"messages_per_batch\":%.4f,\"bytes_per_message\":%.1f",
         (double)load->mix.used / load->mix.count, messages, bytes, (double)messages / batches,
         messages ? (double)bytes / (double)messages : 0);
  uint32_t count = sort_latencies(load);
  printf(",\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f", percentile(load, count, 0.5),
         percentile(load, count, 0.99), percentile(load, count, 1));
  if (load->settings.is_latency)
    printf(",\"rate\":%.1f,\"generator_lag_ms\":%.3f", load->settings.rate, (double)phase->worst_lag / 1e6);
  else
    printf(",\"window\":%u", load->settings.window);
  puts("}");
}

static void usage(void) {
  fail("usage: load --port PORT --mode throughput|latency [--host 127.0.0.1] [--seconds S] [--seed N]\n"
       "            [--rooms N] [--warmup BATCHES] [--qos 0|1]\n"
       "            throughput: [--batches N] [--window W]   latency: [--rate R]");
}

static void parse(int argc, char **argv, struct settings *settings) {
  static const struct option names[] = {
      {"host", required_argument, NULL, 'h'},    {"port", required_argument, NULL, 'p'},
      {"mode", required_argument, NULL, 'm'},    {"seconds", required_argument, NULL, 's'},
      {"seed", required_argument, NULL, 'e'},    {"rooms", required_argument, NULL, 'o'},
      {"warmup", required_argument, NULL, 'u'},  {"qos", required_argument, NULL, 'q'},
      {"batches", required_argument, NULL, 'b'}, {"window", required_argument, NULL, 'w'},
      {"rate", required_argument, NULL, 'r'},    {0}};
  int letter;
  const char *mode = "";
  while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) {
    switch (letter) {
    case 'h':
      settings->client.host = optarg;
      break;
    case 'p':
      settings->client.port = atoi(optarg);
      break;
    case 'm':
      mode = optarg;
      break;
    case 's':
      settings->seconds = atof(optarg);
      break;
    case 'e':
      settings->seed = (uint32_t)atoi(optarg);
      break;
    case 'o':
      settings->rooms = (uint32_t)atoi(optarg);
      break;
    case 'u':
      settings->warmup = (uint32_t)atoi(optarg);
      break;
    case 'q':
      settings->qos = atoi(optarg);
      break;
    case 'b':
      settings->batches = (uint32_t)atoi(optarg);
      break;
    case 'w':
      settings->window = (uint32_t)atoi(optarg);
      break;
    case 'r':
      settings->rate = atof(optarg);
      break;
    default:
      usage();
    }
  }
  settings->is_latency = strcmp(mode, "latency") == 0;
  if (settings->client.port <= 0 || (!settings->is_latency && strcmp(mode, "throughput") != 0))
    usage();
}

static void check_limits(struct settings *settings) {
  struct in_addr address;
  if (inet_pton(AF_INET, settings->client.host, &address) != 1 || ntohl(address.s_addr) >> 24 != 127)
    fail("load: only a loopback address, 127.x.x.x: this would flood any other broker");
  if (settings->is_latency)
    settings->batches = (uint32_t)(settings->rate * settings->seconds);
  if (!(settings->seconds > 0 && settings->seconds <= SECONDS_LIMIT))
    fail("load: --seconds must be from 0 to %d", SECONDS_LIMIT);
  if (settings->batches == 0 || settings->batches > BATCHES_LIMIT || settings->warmup > BATCHES_LIMIT)
    fail("load: from 1 to %d batches, and at most as many to warm up", BATCHES_LIMIT);
  if (settings->window == 0 || settings->window > UNCONFIRMED_LIMIT)
    fail("load: --window must be from 1 to %d", UNCONFIRMED_LIMIT);
  if (settings->rooms == 0 || settings->rooms > 1000000 || settings->qos < 0 || settings->qos > 1)
    usage();
}

static void open_clients(struct load *load) {
  load->meter.on_message = take_output;
  load->meter.context = load;
  client_open(&load->meter, "load-meter", &load->settings.client);
  client_open(&load->publisher, "load-publisher", &load->settings.client);
  client_subscribe(&load->meter, "cue/#", load->settings.qos);
  client_subscribe(&load->meter, DROPPED_TOPIC, 0);
}

int main(int argc, char **argv) {
  static struct load load = {.settings = {.client = {"127.0.0.1", 0, false},
                                          .batches = 20000,
                                          .warmup = 1000,
                                          .rooms = 1000,
                                          .seed = 1,
                                          .window = 256,
                                          .rate = 1000,
                                          .seconds = 10}};
  struct settings *settings = &load.settings;
  parse(argc, argv, settings);
  check_limits(settings);
  /* The kernel else adds 50 µs to every timer, and so to every batch that is due. */
  prctl(PR_SET_TIMERSLACK, 1);
  mix_make(&load.mix, settings->warmup + settings->batches, settings->rooms, settings->seed);
  load.latencies = calloc(load.mix.count, sizeof *load.latencies);
  if (!load.latencies)
    fail("out of memory");
  mosquitto_lib_init();
  open_clients(&load);
  if (settings->warmup > 0) {
    run_phase(&load, 0, settings->warmup, WARMUP_SECONDS);
    if (load.phase.returned == 0)
      fail("load: no marker came back within %d s: nobody answers im/+/batch on cue/#", SILENCE_SECONDS);
  }
  /* A generator that falls behind its rate may take longer, but not for ever. */
  run_phase(&load, settings->warmup, load.mix.count, settings->seconds * (settings->is_latency ? 2 : 1));
  report(&load);
  client_close(&load.publisher);
  client_close(&load.meter);
  mosquitto_lib_cleanup();
  free(load.latencies);
  mix_free(&load.mix);
  return 0;
}
