#!/usr/bin/env python3
"""The relay of relay.c with paho-mqtt: what a plain Python service of the same shape reaches."""

import argparse
import collections
import select
import signal
import socket
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

UNCONFIRMED_LIMIT = 500
TURN_LIMIT = 256
PENDING_LIMIT = 4096
PREFIX = b'{"text":"'


class Connection:
    """One MQTT 5 connection, driven by the relay's own poll loop."""

    def __init__(self, name: str, host: str, port: int):
        self.unconfirmed = 0
        self.is_connected = False
        self.is_subscribed = False
        self.client = mqtt.Client(client_id=name, protocol=mqtt.MQTTv5)
        self.client.max_inflight_messages_set(UNCONFIRMED_LIMIT)
        self.client.on_connect = self._connected
        self.client.on_subscribe = self._subscribed
        self.client.on_publish = self._confirmed
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 3600
        properties.ReceiveMaximum = UNCONFIRMED_LIMIT
        self.client.connect(host, port, 60, clean_start=False, properties=properties)
        self.socket = self.client.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._run_until(lambda: self.is_connected)

    def subscribe(self, filter: str) -> None:
        self.client.subscribe(filter, 1)
        self._run_until(lambda: self.is_subscribed)

    def publish(self, topic: str, payload: bytes) -> None:
        self.unconfirmed += 1
        self.client.publish(topic, payload, 1)

    def read(self, limit: int) -> None:
        """Reads until the socket is dry, or so many times."""
        for _ in range(limit):
            self._check(self.client.loop_read())
            if not select.select([self.socket], [], [], 0)[0]:
                return

    def write(self) -> None:
        if self.client.want_write():
            self._check(self.client.loop_write())

    def _run_until(self, is_reached) -> None:
        deadline = time.monotonic() + 10
        while not is_reached():
            if time.monotonic() > deadline:
                raise SystemExit("relay: no answer from the broker")
            self.write()
            if select.select([self.socket], [], [], 1)[0]:
                self.read(1)

    def _check(self, code: int) -> None:
        if code != mqtt.MQTT_ERR_SUCCESS:
            raise SystemExit(f"relay: {mqtt.error_string(code)}")

    def _connected(self, _client, _context, _flags, reason, _properties) -> None:
        if reason != 0:
            raise SystemExit(f"relay: the broker refused: {reason}")
        self.is_connected = True

    def _subscribed(self, _client, _context, _mid, _reasons, _properties) -> None:
        self.is_subscribed = True

    def _confirmed(self, _client, _context, _mid) -> None:
        self.unconfirmed -= 1


class Relay:
    def __init__(self, options: argparse.Namespace):
        self.messages_per_batch = options.messages_per_batch
        self.bytes = options.bytes
        self.filler = PREFIX + b"x" * (options.bytes - len(PREFIX) - 2) + b'"}'
        self.credit = 0.0
        self.pending = collections.deque()  # (topic, payload)
        self.is_stopping = False
        self.outgoing = Connection(options.id + "-out", options.host, options.port)
        self.incoming = Connection(options.id + "-in", options.host, options.port)
        self.incoming.client.on_message = self._take_batch
        self.incoming.subscribe(options.filter)

    def run(self) -> None:
        maintained = time.monotonic()
        while not self.is_stopping:
            self._turn()
            if time.monotonic() - maintained > 1:
                self.incoming.client.loop_misc()
                self.outgoing.client.loop_misc()
                maintained = time.monotonic()

    def stop(self, *_) -> None:
        self.is_stopping = True

    def _turn(self) -> None:
        reading = [self.outgoing.socket]
        if len(self.pending) < PENDING_LIMIT:
            reading.append(self.incoming.socket)
        writing = [c.socket for c in (self.incoming, self.outgoing) if c.client.want_write()]
        readable, _, _ = select.select(reading, writing, [], 1)
        if self.incoming.socket in readable:
            self.incoming.read(TURN_LIMIT)
        self.incoming.write()
        if self.outgoing.socket in readable:
            self.outgoing.read(TURN_LIMIT)
        while self.pending and self.outgoing.unconfirmed < UNCONFIRMED_LIMIT:
            self.outgoing.publish(*self.pending.popleft())
        self.outgoing.write()

    def _take_batch(self, _client, _context, message) -> None:
        room = message.topic.split("/", 2)[1]
        self.credit += self.messages_per_batch
        outputs = int(self.credit)
        self.credit -= outputs
        self.pending.append((f"cue/{room}/gift/0", self._marked(message.payload)))
        for index in range(1, outputs):
            self.pending.append((f"cue/{room}/gift/{index}", self.filler))

    def _marked(self, payload: bytes) -> bytes:
        start = payload.find(b"@@")
        end = payload.find(b"@@", start + 2)
        if start < 0 or end < 0:
            return self.filler
        head = PREFIX + payload[start : end + 2]
        return head + self.filler[len(head) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--filter", default="im/+/batch")
    parser.add_argument("--messages-per-batch", type=float, default=8)
    parser.add_argument("--bytes", type=int, default=400)
    parser.add_argument("--id", default="relay-python")
    options = parser.parse_args()
    if options.messages_per_batch < 1 or options.bytes < 80:
        parser.error("a batch needs at least one message, and a message 80 bytes")
    relay = Relay(options)
    signal.signal(signal.SIGTERM, relay.stop)
    signal.signal(signal.SIGINT, relay.stop)
    relay.run()


if __name__ == "__main__":
    main()
