/* One MQTT 5 connection, driven by the caller's own poll loop: the shape that the daemon has too. */
#ifndef CLIENT_H
#define CLIENT_H

#include <mosquitto.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than this many unacknowledged messages cost the library more than they gain. */
enum { UNCONFIRMED_LIMIT = 500 };

typedef void message_handler(void *context, const struct mosquitto_message *message);

struct client {
  struct mosquitto *handle;
  const char *name;
  bool connected;
  int subscriptions; /* filters that the broker has granted */
  int unconfirmed;   /* QoS 1 messages published and not yet acknowledged */
  message_handler *on_message;
  void *context;
};

struct client_options {
  const char *host;
  int port;
  bool persistent; /* keep the session when the connection ends */
};

/* Connects and returns when the broker has accepted; ends the program when it does not within 10 s. */
void client_open(struct client *client, const char *name, const struct client_options *options);

/* Subscribes and returns when the broker has granted the filter. */
void client_subscribe(struct client *client, const char *filter, int qos);

/* Queues a QoS 1 message; it leaves with the next `client_write`. */
void client_publish(struct client *client, const char *topic, const void *payload, size_t length);

/* Reads until the socket is dry, or `limit` packets. */
void client_read(struct client *client, int limit);

/* Writes everything queued, acknowledgements included, as far as the socket takes it. */
void client_write(struct client *client);

/* Sends keepalives when they are due; to be called about once a second. */
void client_maintain(struct client *client);

/* Waits until one of the `count` clients can go on, at most `nanoseconds`.
   Bit i of the answer: client i is readable; so is a client that has lost its connection. */
unsigned clients_wait(struct client *const *clients, int count, int64_t nanoseconds);

void client_close(struct client *client);

/* Nanoseconds of the monotonic clock. */
uint64_t nanoseconds_now(void);

/* Prints a reason and ends the program: a benchmark that lost a connection has no result. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
