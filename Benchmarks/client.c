#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <mqtt_protocol.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { KEEPALIVE_SECONDS = 60, SESSION_SECONDS = 3600, HANDSHAKE_SECONDS = 10 };

static const int64_t NANOSECONDS = 1000000000;

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

uint64_t nanoseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

static void check(const struct client *client, const char *action, int code) {
  if (code != MOSQ_ERR_SUCCESS)
    fail("%s: %s: %s", client->name, action, mosquitto_strerror(code));
}

static void connected(struct mosquitto *handle, void *object, int code) {
  (void)handle;
  struct client *client = object;
  if (code != 0)
    fail("%s: the broker refused: reason %d", client->name, code);
  client->connected = true;
}

static void subscribed(struct mosquitto *handle, void *object, int mid, int count, const int *granted) {
  (void)handle, (void)mid;
  struct client *client = object;
  for (int i = 0; i < count; i++) {
    if (granted[i] > 2)
      fail("%s: subscription refused: reason %d", client->name, granted[i]);
  }
  client->subscriptions += count;
}

static void confirmed(struct mosquitto *handle, void *object, int mid) {
  (void)handle, (void)mid;
  ((struct client *)object)->unconfirmed--;
}

static void received(struct mosquitto *handle, void *object, const struct mosquitto_message *message) {
  (void)handle;
  struct client *client = object;
  if (client->on_message)
    client->on_message(client->context, message);
}

static void configure(struct client *client) {
  struct mosquitto *handle = client->handle;
  mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, UNCONFIRMED_LIMIT);
  mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, UNCONFIRMED_LIMIT);
  /* "Threaded" makes every outgoing packet, acknowledgements included, wait for mosquitto_loop_write. */
  mosquitto_threaded_set(handle, true);
  mosquitto_connect_callback_set(handle, connected);
  mosquitto_subscribe_callback_set(handle, subscribed);
  mosquitto_publish_callback_set(handle, confirmed);
  mosquitto_message_callback_set(handle, received);
}

/* Runs this one connection until `*value` has reached `target`; only for the handshakes. */
static void run_until(struct client *client, const int *value, int target, const char *action) {
  uint64_t deadline = nanoseconds_now() + HANDSHAKE_SECONDS * NANOSECONDS;
  while (*value < target) {
    if (nanoseconds_now() > deadline)
      fail("%s: %s: no answer from the broker", client->name, action);
    client_write(client);
    if (clients_wait(&client, 1, NANOSECONDS))
      client_read(client, 1);
  }
}

void client_open(struct client *client, const char *name, const struct client_options *options) {
  client->name = name;
  client->handle = mosquitto_new(name, !options->persistent, client);
  if (!client->handle)
    fail("%s: out of memory", name);
  configure(client);
  mosquitto_property *properties = NULL;
  if (options->persistent)
    mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, SESSION_SECONDS);
  check(client, "connect",
        mosquitto_connect_bind_v5(client->handle, options->host, options->port, KEEPALIVE_SECONDS, NULL,
                                  properties));
  mosquitto_property_free_all(&properties);
  uint64_t deadline = nanoseconds_now() + HANDSHAKE_SECONDS * NANOSECONDS;
  while (!client->connected) {
    if (nanoseconds_now() > deadline)
      fail("%s: no answer from the broker", name);
    client_write(client);
    if (clients_wait(&client, 1, NANOSECONDS))
      client_read(client, 1);
  }
}

void client_subscribe(struct client *client, const char *filter, int qos) {
  int wanted = client->subscriptions + 1;
  check(client, "subscribe", mosquitto_subscribe(client->handle, NULL, filter, qos));
  run_until(client, &client->subscriptions, wanted, "subscribe");
}

void client_publish(struct client *client, const char *topic, const void *payload, size_t length) {
  check(client, "publish", mosquitto_publish(client->handle, NULL, topic, (int)length, payload, 1, false));
  client->unconfirmed++;
}

void client_read(struct client *client, int limit) {
  int socket = mosquitto_socket(client->handle);
  for (int packets = 0; packets < limit; packets++) {
    check(client, "read", mosquitto_loop_read(client->handle, 1));
    /* The library's own sign of a dry socket, errno, is also set by its wake-up pipe once that is full. */
    int waiting = 0;
    if (ioctl(socket, FIONREAD, &waiting) != 0 || waiting == 0)
      return;
  }
}

void client_write(struct client *client) {
  if (mosquitto_want_write(client->handle))
    check(client, "write", mosquitto_loop_write(client->handle, 1));
}

void client_maintain(struct client *client) {
  check(client, "keepalive", mosquitto_loop_misc(client->handle));
}

unsigned clients_wait(struct client *const *clients, int count, int64_t nanoseconds) {
  struct pollfd sockets[4];
  for (int i = 0; i < count; i++) {
    struct mosquitto *handle = clients[i]->handle;
    short events = mosquitto_want_write(handle) ? POLLIN | POLLOUT : POLLIN;
    sockets[i] = (struct pollfd){.fd = mosquitto_socket(handle), .events = events};
  }
  if (nanoseconds < 0)
    nanoseconds = 0;
  struct timespec timeout = {nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS};
  unsigned readable = 0;
  if (ppoll(sockets, (nfds_t)count, &timeout, NULL) > 0) {
    for (int i = 0; i < count; i++)
      readable |= (sockets[i].revents & (POLLIN | POLLERR | POLLHUP)) ? 1u << i : 0;
  }
  return readable;
}

void client_close(struct client *client) {
  mosquitto_disconnect(client->handle);
  mosquitto_loop_write(client->handle, 1);
  mosquitto_destroy(client->handle);
}
