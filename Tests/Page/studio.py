"""A broker, the daemon, the overlay's server and a publisher of a capture, each a process of its own."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = CHECKOUT / "Tests/Captures/douyin-calm.jsonl.gz"
PROFILE = CHECKOUT / "config/profiles/douyin-capture.yaml"
ROOM = "room-12"
KINDS = ["gift", "comment", "like", "batch"]


def until(holds, words, seconds=20):
    """Waits for something and returns it."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        found = holds()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{words} for {seconds} s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Studio:
    """All of it. `settings` are lines of the configuration, `overlay` what stands in its part of that name."""

    def __init__(self, livecue, settings="", overlay=""):
        self.livecue = str(pathlib.Path(livecue).resolve())
        self.folder = tempfile.mkdtemp(prefix="livecue-page-")
        self.children = {}
        self.port = free_port()
        path = pathlib.Path(self.folder)
        (path / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 1000000\n")
        inputs = "".join(
            f'  - {{filter: "im/{{room}}/{kind}", kind: {kind}, profile: douyin-capture}}\n' for kind in KINDS[:3])
        # What tests publish themselves is in the native format.
        native = "".join(f'  - {{filter: "native/{{room}}/{kind}", kind: {kind}}}\n' for kind in KINDS)
        (path / "livecue.yaml").write_text(
            "instance: page\nmetrics: {listen: \"\", statsSeconds: 0}\n"
            f"broker: {{host: 127.0.0.1, port: {self.port}}}\nprofiles: [{json.dumps(str(PROFILE))}]\n"
            f"overlay: {{listen: \"127.0.0.1:0\", themes: themes, {overlay}}}\n"
            f"state: {{directory: {json.dumps(self.folder + '/state')}, durability: process}}\n"
            f"inputs:\n{inputs}{native}{settings}")
        self.themes = path / "themes"
        self.themes.mkdir()
        self.start("broker", "mosquitto", "-c", str(path / "mosquitto.conf"))
        until(lambda: self._listens(self.port), "the broker does not listen")
        self.start_daemon()
        self.start_overlay()

    def _listens(self, port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def _answers(self, path):
        try:
            return urllib.request.urlopen(self.address + path).status == 200
        except OSError:
            return False

    def start(self, name, *words):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.children[name] = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent, cwd=self.folder)
        return self.children[name]

    def start_daemon(self):
        seen = self.output("daemon").count("subscribed client")
        self.start("daemon", self.livecue, "run", "--config", f"{self.folder}/livecue.yaml")
        until(lambda: self.output("daemon").count("subscribed client") > seen, "the daemon does not serve")

    def start_overlay(self, *words):
        seen = len(self.output("overlay"))
        self.start("overlay", self.livecue, "overlay", "--config", f"{self.folder}/livecue.yaml", *words)
        line = until(
            lambda: re.search(r"studio at (\S+)", self.output("overlay")[seen:]), "the overlay does not start")
        self.address = line.group(1)
        until(lambda: self._answers("readyz"), "the overlay has no commands")

    def restart_overlay(self):
        """Kills it and starts it at the same address."""
        self.kill("overlay")
        self.start_overlay_again()

    def start_overlay_again(self):
        """Starts it, after it was killed, at the address that it had."""
        self.start_overlay("--listen", self.address.removeprefix("http://").rstrip("/"))

    def replay(self, speed, capture=CAPTURE):
        """Plays a capture from now on, to its end."""
        return self.start(
            "replay", self.livecue, "replay", "--config", f"{self.folder}/livecue.yaml", "--speed", str(speed), str(capture))

    def output(self, name):
        try:
            return pathlib.Path(f"{self.folder}/{name}.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def get(self, path):
        return json.load(urllib.request.urlopen(self.address + path))

    def kill(self, name, how=signal.SIGKILL):
        child = self.children.pop(name)
        child.send_signal(how)
        child.wait()

    def resident_kilobytes(self, name):
        status = pathlib.Path(f"/proc/{self.children[name].pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def end(self):
        for name in list(self.children)[::-1]:
            self.kill(name, signal.SIGTERM if name != "broker" else signal.SIGKILL)
        shutil.rmtree(self.folder)
