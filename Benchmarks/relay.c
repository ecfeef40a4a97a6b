/* The least that a daemon of LiveCue's shape can do: QoS 1 in, so many QoS 1 messages out, nothing between.

   The loop is the daemon's: read IN until it is dry, (commit,) let the acknowledgements go, publish on OUT.
   What LiveCue is slower than this is the price of LiveCue. */
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURN_LIMIT = 256, PENDING_LIMIT = 4096, ROOM_BYTES = 129, MARKER_BYTES = 64, OUTPUT_BYTES = 1 << 20 };

/* A batch whose outputs are not all published yet. */
struct input {
  char room[ROOM_BYTES];
  char marker[MARKER_BYTES];
};

struct relay {
  struct client in, out;
  double messages_per_batch;
  int marker_index; /* the output of a batch that carries its marker; the last, if there are fewer */
  size_t bytes;
  double credit;     /* the fraction of a message that earlier batches have left */
  int outputs_total; /* of the oldest pending batch; 0: not begun */
  int outputs_done;
  unsigned first, count; /* the ring of pending batches */
  struct input pending[PENDING_LIMIT];
  char *filler;    /* an output without a marker */
  char *marked;    /* an output with one, written anew for each batch */
  int journal;     /* -1: none */
  char *unwritten; /* payloads of this turn that the journal lacks */
  size_t unwritten_length, unwritten_capacity;
};

static volatile sig_atomic_t is_stopping;

static void stop(int signal) {
  (void)signal;
  is_stopping = 1;
}

/* The second level of the topic. */
static void copy_room(char room[ROOM_BYTES], const char *topic) {
  const char *start = strchr(topic, '/');
  start = start ? start + 1 : topic;
  size_t length = strcspn(start, "/");
  if (length >= ROOM_BYTES)
    length = ROOM_BYTES - 1;
  memcpy(room, start, length);
  room[length] = 0;
}

/* The text from "@@" to the next "@@", both included; empty if the payload has none. */
static void copy_marker(char marker[MARKER_BYTES], const char *payload, size_t length) {
  marker[0] = 0;
  const char *start = memmem(payload, length, "@@", 2);
  if (!start)
    return;
  const char *rest = start + 2;
  const char *end = memmem(rest, length - (size_t)(rest - payload), "@@", 2);
  if (!end || end + 2 - start >= MARKER_BYTES)
    return;
  memcpy(marker, start, (size_t)(end + 2 - start));
  marker[end + 2 - start] = 0;
}

static void keep_for_journal(struct relay *relay, const void *payload, size_t length) {
  if (relay->unwritten_length + length > relay->unwritten_capacity) {
    relay->unwritten_capacity = 2 * (relay->unwritten_length + length);
    relay->unwritten = realloc(relay->unwritten, relay->unwritten_capacity);
    if (!relay->unwritten)
      fail("out of memory");
  }
  memcpy(relay->unwritten + relay->unwritten_length, payload, length);
  relay->unwritten_length += length;
}

static void take_batch(void *context, const struct mosquitto_message *message) {
  struct relay *relay = context;
  if (relay->count == PENDING_LIMIT)
    fail("relay: more than %d batches pending", PENDING_LIMIT);
  size_t length = (size_t)message->payloadlen;
  struct input *input = &relay->pending[(relay->first + relay->count++) % PENDING_LIMIT];
  copy_room(input->room, message->topic);
  copy_marker(input->marker, message->payload, length);
  if (relay->journal >= 0)
    keep_for_journal(relay, message->payload, length);
}

static void commit(struct relay *relay) {
  if (relay->unwritten_length == 0)
    return;
  ssize_t written = write(relay->journal, relay->unwritten, relay->unwritten_length);
  if (written != (ssize_t)relay->unwritten_length || fdatasync(relay->journal) != 0)
    fail("relay: journal: %s", strerror(errno));
  relay->unwritten_length = 0;
}

static void publish_output(struct relay *relay, const struct input *input, int index) {
  char topic[ROOM_BYTES + 32];
  snprintf(topic, sizeof topic, "cue/%s/gift/%d", input->room, index);
  const char *payload = relay->filler;
  int last = relay->outputs_total - 1;
  if (index == (relay->marker_index < last ? relay->marker_index : last)) {
    /* The marker goes where the filler has its text; what follows stays as it is. */
    size_t length = strlen(input->marker);
    memcpy(relay->marked, relay->filler, relay->bytes);
    memcpy(relay->marked + 9, input->marker, length);
    payload = relay->marked;
  }
  client_publish(&relay->out, topic, payload, relay->bytes);
}

/* Publishes what is pending, oldest first, as far as the library may be filled. */
static void publish_pending(struct relay *relay) {
  while (relay->count > 0 && relay->out.unconfirmed < UNCONFIRMED_LIMIT) {
    const struct input *input = &relay->pending[relay->first];
    if (relay->outputs_total == 0) {
      relay->credit += relay->messages_per_batch;
      relay->outputs_total = (int)relay->credit;
      relay->credit -= relay->outputs_total;
    }
    publish_output(relay, input, relay->outputs_done++);
    if (relay->outputs_done == relay->outputs_total) {
      relay->outputs_total = relay->outputs_done = 0;
      relay->first = (relay->first + 1) % PENDING_LIMIT;
      relay->count--;
    }
  }
}

static void turn(struct relay *relay) {
  struct client *const clients[] = {&relay->out, &relay->in};
  /* A full ring stops the reading, so that the broker keeps what there is no room for. */
  int watched = relay->count + TURN_LIMIT <= PENDING_LIMIT ? 2 : 1;
  unsigned readable = clients_wait(clients, watched, 1000000000);
  if (readable & 2u)
    client_read(&relay->in, TURN_LIMIT);
  if (relay->journal >= 0)
    commit(relay);
  client_write(&relay->in);
  if (readable & 1u)
    client_read(&relay->out, TURN_LIMIT);
  publish_pending(relay);
  client_write(&relay->out);
}

static void run(struct relay *relay) {
  uint64_t maintained = nanoseconds_now();
  while (!is_stopping) {
    turn(relay);
    uint64_t now = nanoseconds_now();
    if (now - maintained > 1000000000) {
      client_maintain(&relay->in);
      client_maintain(&relay->out);
      maintained = now;
    }
  }
}

/* Outputs are strings of JSON of the wanted length, so that any renderer could read them. */
static void make_outputs(struct relay *relay) {
  if (relay->bytes < 80 || relay->bytes > OUTPUT_BYTES)
    fail("relay: --bytes must be from 80 to %d", OUTPUT_BYTES);
  relay->filler = malloc(relay->bytes);
  relay->marked = malloc(relay->bytes);
  if (!relay->filler || !relay->marked)
    fail("out of memory");
  memset(relay->filler, 'x', relay->bytes);
  memcpy(relay->filler, "{\"text\":\"", 9);
  memcpy(relay->filler + relay->bytes - 2, "\"}", 2);
}

static void usage(void) {
  fail("usage: relay --port PORT [--host HOST] [--filter FILTER] [--messages-per-batch R] [--bytes B]\n"
       "             [--marker-index N] [--id ID] [--fdatasync FILE]");
}

struct settings {
  struct client_options client;
  const char *filter, *id, *journal;
};

static void parse(int argc, char **argv, struct settings *settings, struct relay *relay) {
  static const struct option names[] = {{"host", required_argument, NULL, 'h'},
                                        {"port", required_argument, NULL, 'p'},
                                        {"filter", required_argument, NULL, 'f'},
                                        {"messages-per-batch", required_argument, NULL, 'm'},
                                        {"bytes", required_argument, NULL, 'b'},
                                        {"id", required_argument, NULL, 'i'},
                                        {"fdatasync", required_argument, NULL, 's'},
                                        {"marker-index", required_argument, NULL, 'k'},
                                        {0}};
  int letter;
  while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1) {
    switch (letter) {
    case 'h':
      settings->client.host = optarg;
      break;
    case 'p':
      settings->client.port = atoi(optarg);
      break;
    case 'f':
      settings->filter = optarg;
      break;
    case 'm':
      relay->messages_per_batch = atof(optarg);
      break;
    case 'b':
      relay->bytes = strtoul(optarg, NULL, 10);
      break;
    case 'i':
      settings->id = optarg;
      break;
    case 's':
      settings->journal = optarg;
      break;
    case 'k':
      relay->marker_index = atoi(optarg);
      break;
    default:
      usage();
    }
  }
  /* Below one message a batch, some markers would never come back. */
  if (settings->client.port <= 0 || relay->messages_per_batch < 1 || relay->marker_index < 0)
    usage();
}

static void open_clients(struct relay *relay, const struct settings *settings) {
  static char in_name[64], out_name[64];
  snprintf(in_name, sizeof in_name, "%s-in", settings->id);
  snprintf(out_name, sizeof out_name, "%s-out", settings->id);
  relay->in.on_message = take_batch;
  relay->in.context = relay;
  client_open(&relay->out, out_name, &settings->client);
  client_open(&relay->in, in_name, &settings->client);
  client_subscribe(&relay->in, settings->filter, 1);
}

int main(int argc, char **argv) {
  static struct relay relay = {.messages_per_batch = 8, .bytes = 400, .journal = -1};
  struct settings settings = {.client = {"127.0.0.1", 0, true}, .filter = "im/+/batch", .id = "relay"};
  parse(argc, argv, &settings, &relay);
  make_outputs(&relay);
  if (settings.journal) {
    relay.journal = open(settings.journal, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (relay.journal < 0)
      fail("%s: %s", settings.journal, strerror(errno));
  }
  struct sigaction action = {.sa_handler = stop};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  mosquitto_lib_init();
  open_clients(&relay, &settings);
  run(&relay);
  client_close(&relay.in);
  client_close(&relay.out);
  mosquitto_lib_cleanup();
  return 0;
}
