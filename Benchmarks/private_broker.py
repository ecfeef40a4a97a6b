"""A private mosquitto on a free loopback port, and services beside it; each ends exactly what it started."""

import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import threading
import time

SETTINGS = """\
listener {port} 127.0.0.1
allow_anonymous true
user {user}
persistence true
persistence_location {folder}/
autosave_interval 60
max_queued_messages 1000000
max_inflight_messages 500
max_packet_size 1048576
set_tcp_nodelay true
sys_interval 1
log_dest stderr
log_type error
log_type warning
log_type notice
log_type information
log_type subscribe
"""


class BenchmarkError(Exception):
    """A run that has no result, with the reason for people."""


class Service:
    """A process of ours, from its start to its end."""

    def __init__(self, command: list[str], folder: pathlib.Path, **pipes):
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "log"
        self.started = time.perf_counter()
        with open(self.log, "wb") as log:
            pipes.setdefault("stderr", log)
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, **pipes
            )

    @property
    def memory_mib(self) -> float:
        """Resident memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024

    @property
    def cpu_seconds(self) -> float:
        """Time of a processor spent so far, user and system."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def fail_if_ended(self) -> None:
        code = self.process.poll()
        if code is not None:
            tail = self.log.read_text(errors="replace")[-2000:]
            raise BenchmarkError(f"{self.process.args[0]} ended with {code}:\n{tail}")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()


class Broker(Service):
    """A mosquitto whose log is read line by line, so that what it says can be waited for."""

    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True)
        self.port = free_port()
        self.lines: list[tuple[float, str]] = []
        self.has_new_line = threading.Condition()
        self.is_log_open = True
        user = pwd.getpwuid(os.getuid()).pw_name
        settings = folder / "mosquitto.conf"
        settings.write_text(SETTINGS.format(port=self.port, user=user, folder=folder))
        super().__init__([executable(), "-c", str(settings)], folder, stderr=subprocess.PIPE)
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        self.wait_for(r"mosquitto version \S+ running", 10)

    def wait_for(self, pattern: str, seconds: float) -> float:
        """The instant (time.perf_counter) at which the log first had a line with the pattern."""
        deadline = time.perf_counter() + seconds
        seen = 0
        with self.has_new_line:
            while True:
                for instant, line in self.lines[seen:]:
                    if re.search(pattern, line):
                        return instant
                seen = len(self.lines)
                remaining = deadline - time.perf_counter()
                if remaining <= 0 or not self.is_log_open:
                    text = "\n".join(line for _, line in self.lines[-20:])
                    raise BenchmarkError(f"the broker's log has no {pattern!r}:\n{text}")
                self.has_new_line.wait(remaining)

    def _read_log(self) -> None:
        for line in self.process.stderr:
            instant = time.perf_counter()
            with self.has_new_line:
                self.lines.append((instant, line.decode(errors="replace").rstrip()))
                self.has_new_line.notify_all()
        with self.has_new_line:
            self.is_log_open = False
            self.has_new_line.notify_all()

    def stop(self) -> None:
        super().stop()
        self.reader.join(10)
        self.process.stderr.close()


def executable() -> str:
    # Debian has it in /usr/sbin, which is not on every user's path.
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise BenchmarkError("mosquitto is not installed")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
