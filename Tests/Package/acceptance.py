"""A package on a bare Debian 12: install, start, serve, upgrade, stop, purge.

There is no systemd in it: we do what the unit says (user, folders, credential, environment, forbidden system calls) and
listen where systemd would. Run it by Tests/Package/run, in mount and process namespaces of its own.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from notify_socket import NotifySocket

# A user that no file of the system belongs to, as DynamicUser= takes one.
USER = 64123
PASSWORD = "correct horse"
BATCH = [{"sender": "Ann", "giftName": "Rose"}, {"sender": "Bo"}, {"sender": "Ann", "giftName": "Rose", "count": 2}]
# What the tools of packages write for themselves.
TOOLS = ("/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/var/log", "/etc/ld.so.cache", "/run", "/tmp", "/proc",
         "/var/lib/systemd/deb-systemd-helper-")


def say(text):
    print(f"package test: {text}", flush=True)


class Machine:
    """The bare system, in a folder."""

    def __init__(self, root, cache):
        self.root = root
        subprocess.run(["tar", "-C", root, "-xf", f"{cache}/bare.tar"], check=True)
        self._mount("-t", "proc", "proc", "/proc")
        self._mount("--bind", f"{cache}/archives", "/var/cache/apt/archives")
        os.makedirs(f"{root}/var/cache/apt/archives/partial", exist_ok=True)
        shutil.copy("/etc/resolv.conf", f"{root}/etc/resolv.conf")
        with open(f"{root}/etc/apt/apt.conf.d/keep", "w") as file:
            file.write('APT::Keep-Downloaded-Packages "true";\nAPT::Sandbox::User "root";\n')

    def _mount(self, *words):
        subprocess.run(["mount", *words[:-1], self.root + words[-1]], check=True)

    def run(self, *words, user=None):
        """Runs a program in it; returns its output, or fails with it."""
        change = ["chroot", f"--userspec={user}:{user}"] if user else ["chroot"]
        result = subprocess.run(
            [*change, self.root, "env", "DEBIAN_FRONTEND=noninteractive", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert result.returncode == 0, f"{words} ended with {result.returncode}:\n{result.stdout}"
        return result.stdout

    def install(self, package):
        shutil.copy(package, f"{self.root}/tmp/package.deb")
        self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", "/tmp/package.deb")
        os.remove(f"{self.root}/tmp/package.deb")

    def files(self):
        """Every path but those of the tools of packages."""
        found = set()
        for parent, folders, names in os.walk(self.root):
            inside = parent[len(self.root):]
            folders[:] = [name for name in folders if not f"{inside}/{name}".startswith(TOOLS)]
            found.update(f"{inside}/{name}" for name in folders + names)
        return {path for path in found if not path.startswith(TOOLS)}

    def has(self, path):
        return os.path.lexists(self.root + path)


class Broker:
    """A mosquitto on loopback that wants a password."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        os.chmod(folder, 0o755)
        with open(f"{folder}/passwords", "w") as file:
            file.write(f"livecue:{PASSWORD}\n")
        subprocess.run(["mosquitto_passwd", "-U", f"{folder}/passwords"], check=True)
        os.chmod(f"{folder}/passwords", 0o644)
        with open(f"{folder}/mosquitto.conf", "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous false\n"
                       f"password_file {folder}/passwords\nmax_queued_messages 1000000\n")
        self.log = open(f"{folder}/log", "w+")
        subprocess.Popen(["mosquitto", "-c", f"{folder}/mosquitto.conf"], stderr=self.log, stdout=self.log)
        self.access = ["-h", "127.0.0.1", "-p", str(self.port), "-u", "livecue", "-P", PASSWORD]

    def subscribe(self, topic, count):
        """A subscriber that ends after so many messages, snapshots apart; returned when the broker has granted its filter."""
        viewer = subprocess.Popen(
            ["stdbuf", "-oL", "mosquitto_sub", *self.access, "-q", "1", "-t", topic, "-T", "cue/+/snapshot", "-C",
             str(count), "-W", "30", "-d", "-F", "message %r %t %p"], stdout=subprocess.PIPE, text=True)
        for line in viewer.stdout:
            if line.startswith("Subscribed"):
                return viewer
        raise AssertionError(f"mosquitto_sub ended with {viewer.wait()}")

    def publish(self, topic, payload):
        words = ["mosquitto_pub", *self.access, "-q", "1", "-t", topic, "-m", json.dumps(payload)]
        subprocess.run(words, check=True)


def messages(viewer):
    """The topics and payloads that a subscriber got before it ended."""
    lines = [line.rstrip("\n").split(" ", 3) for line in viewer.stdout if line.startswith("message ")]
    assert viewer.wait() == 0, f"only {len(lines)} messages came: {lines}"
    return [(words[2], json.loads(words[3])) for words in lines]


class Service:
    """What systemd makes of livecue.service."""

    def __init__(self, machine):
        self.machine = machine
        self.unit = f"{machine.root}/lib/systemd/system/livecue.service"
        lines = open(self.unit).read().split("\n")
        self.settings = dict(line.split("=", 1) for line in lines if "=" in line and line[0] not in "#[")
        assert self.settings["Type"] == "notify"
        # DynamicUser= keeps the state behind a link.
        state = self.settings["StateDirectory"]
        self._folder(f"/var/lib/private/{state}")
        if not machine.has(f"/var/lib/{state}"):
            os.symlink(f"private/{state}", f"{machine.root}/var/lib/{state}")
        self._folder("/run/credentials/livecue.service")
        name, source = self.settings["LoadCredential"].split(":")
        target = f"{machine.root}/run/credentials/livecue.service/{name}"
        shutil.copy(machine.root + source, target)
        os.chown(target, USER, USER)
        self.environment = {
            "PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "400000",
            "STATE_DIRECTORY": f"/var/lib/{state}", "CREDENTIALS_DIRECTORY": "/run/credentials/livecue.service"}
        self.socket = NotifySocket(f"{machine.root}/run/notify")
        self.child = None

    def _folder(self, path):
        os.makedirs(self.machine.root + path, exist_ok=True)
        os.chown(self.machine.root + path, USER, USER)
        os.chmod(self.machine.root + path, 0o700)
        # The folder that holds those of all services.
        os.chmod(os.path.dirname(self.machine.root + path), 0o755)

    def start(self):
        """Starts it, and waits until it is ready and serves."""
        self.socket.forget()
        begin = time.monotonic()
        sandbox = os.path.join(os.path.dirname(__file__), "sandbox.py")
        self.child = subprocess.Popen(
            ["/usr/bin/python3", sandbox, self.machine.root, str(USER), self.unit, *self.settings["ExecStart"].split()],
            env=self.environment)
        self.socket.wait("READY", lambda: self.socket.states)
        milliseconds = (time.monotonic() - begin) * 1000
        assert self.socket.states[0] == ["READY=1"], self.socket.states
        serves = "STATUS=subscribed, publishing, "
        self.socket.wait("that it serves", lambda: any(s[0].startswith(serves) for s in self.socket.states))
        self.socket.wait("WATCHDOG three times", lambda: self.socket.said("WATCHDOG=1") >= 3)
        assert self.socket.said("READY=1") == 1
        assert self.socket.said("STOPPING=1") == 0
        say(f"ready after {milliseconds:.0f} ms, serves, and feeds the watchdog")

    def reload(self):
        """What ExecReload= does: it says RELOADING with the time, and then READY."""
        before = len(self.socket.states)
        self.child.send_signal(signal.SIGHUP)
        self.socket.wait("READY again", lambda: self.socket.said("READY=1") == 2)
        told = [state for state in self.socket.states[before:] if not state[0].startswith(("STATUS", "WATCHDOG"))]
        assert [state[0] for state in told] == ["RELOADING=1", "READY=1"], told
        assert told[0][1].startswith("MONOTONIC_USEC="), told
        assert self.child.poll() is None
        say("reloads: RELOADING, then READY")

    def stop(self):
        """What `systemctl stop` does."""
        begin = time.monotonic()
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(timeout=10)
        seconds = time.monotonic() - begin
        assert code == 0, f"it ended with {code}"
        assert seconds < 2, f"it took {seconds:.1f} s to stop"
        self.socket.wait("STOPPING", lambda: self.socket.said("STOPPING=1") == 1)
        order = [state[0] for state in self.socket.states]
        assert order.index("READY=1") < order.index("WATCHDOG=1") < order.index("STOPPING=1"), order
        say(f"stops within {seconds:.2f} s")


def configure(machine, port):
    """What an operator does after the installation."""
    path = f"{machine.root}/etc/livecue/livecue.yaml"
    text = open(path).read()
    for old, new in [("\n  port: 1883\n", f"\n  port: {port}\n"), ('\n  username: ""\n', "\n  username: livecue\n"),
                     ("\n  host: localhost\n", "\n  host: 127.0.0.1\n"),
                     ('\n  passwordFile: ""\n', '\n  passwordFile: "credential:broker-password"\n')]:
        assert text.count(old) == 1, f"livecue.yaml has {text.count(old)} of {old!r}"
        text = text.replace(old, new)
    with open(path, "w") as file:
        file.write(text)
    secret = f"{machine.root}/etc/livecue/broker-password"
    with open(secret, "w") as file:
        file.write(PASSWORD + "\n")
    os.chmod(secret, 0o600)
    assert "good" in machine.run("livecue", "check", "/etc/livecue/livecue.yaml", user=USER)
    return text


def serve(broker):
    """Publishes a batch; returns the commands of its combo."""
    viewer = broker.subscribe("cue/r1/#", 5)
    broker.publish("im/r1/gift", BATCH)
    received = messages(viewer)
    track = [payload for topic, payload in received if topic == "cue/r1/gift/0"]
    assert [command["op"] for command in track] == ["show", "count", "hold", "hide"], received
    assert (track[1]["from"], track[1]["to"], track[3]["count"]) == (0, 3, 3), track
    refused = [payload for topic, payload in received if topic == "cue/r1/rejected"]
    assert [item["reason"] for item in refused[0]["items"]] == ["missing-gift"], refused
    return track


def acceptance(machine, package, later, broker, reloads):
    version = subprocess.check_output(["dpkg-deb", "-f", package, "Version"], text=True).strip()
    bare = machine.files()
    machine.install(package)
    assert machine.run("livecue", "--version") == f"livecue {version}\n"
    libraries = machine.run("ldd", "/usr/bin/livecue")
    assert "not found" not in libraries and "swift" not in libraries, libraries
    swift = [path for path in machine.files() if "libswift" in path]
    assert not swift, swift
    assert machine.has("/etc/systemd/system/multi-user.target.wants/livecue.service"), "the unit is not enabled"
    say(f"{version} is installed, without Swift")

    edited = configure(machine, broker.port)
    service = Service(machine)
    service.start()
    before = serve(broker)
    say("a batch is served")
    if reloads:
        service.reload()

    service.stop()
    status = messages(broker.subscribe("livecue/main/status", 1))
    assert status[0][1]["state"] == "offline", status
    machine.install(later)
    assert machine.run("dpkg-query", "-W", "-f=${Version}", "livecue") == f"{version}+later"
    assert open(f"{machine.root}/etc/livecue/livecue.yaml").read() == edited, "the upgrade changed settings"
    service.start()
    after = serve(broker)
    # The room goes on where it was: same epoch, next numbers.
    assert after[0]["epoch"] == before[0]["epoch"], (before, after)
    assert [command["seq"] for command in before + after] == list(range(1, 9)), (before, after)
    say("after the upgrade the room goes on where it was")
    service.stop()

    machine.run("apt-get", "remove", "-q", "-y", "livecue")
    assert not machine.has("/usr/bin/livecue")
    for path in ["/etc/livecue/livecue.yaml", "/etc/livecue/broker-password", "/var/lib/livecue",
                 "/var/lib/private/livecue"]:
        assert machine.has(path), f"removing the package removed {path}"
    # The state of an instance, as livecue@east.service would leave it.
    os.makedirs(f"{machine.root}/var/lib/private/livecue-east")
    os.symlink("private/livecue-east", f"{machine.root}/var/lib/livecue-east")
    machine.run("apt-get", "purge", "-q", "-y", "livecue")
    machine.run("apt-get", "autoremove", "-q", "-y", "--purge")
    left = machine.files() - bare - {"/var/lib/private"}
    assert not left, f"after the purge there is still {sorted(left)}"
    assert "livecue" not in machine.run("dpkg-query", "-W", "-f=${Package}\\n")
    say("purged: nothing is left")


def main():
    package, later, cache = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
        # Whatever is mounted here goes with the namespace; it must not be seen outside.
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        os.chmod(folder, 0o755)
        machine = Machine(folder, cache)
        broker = Broker(scratch)
        try:
            acceptance(machine, package, later, broker, reloads="--reload" in sys.argv[4:])
        finally:
            subprocess.run(["umount", f"{folder}/var/cache/apt/archives"], check=True)
            subprocess.run(["umount", "-l", f"{folder}/proc"], check=True)


main()
