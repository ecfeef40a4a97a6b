"""A socket that stands for systemd's: hears what a service says of itself."""

import os
import socket
import threading


class NotifySocket:
    """Hears all the time, as systemd does: who is not heard waits in the call and does nothing else."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.bind(path)
        os.chmod(path, 0o777)
        self._changed = threading.Condition()
        # What was said since the last `forget`, each a list of lines.
        self.states = []
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self):
        while True:
            state = self._socket.recv(4096).decode().split("\n")
            with self._changed:
                self.states.append(state)
                self._changed.notify_all()

    def wait(self, what, holds, seconds=20):
        """Waits until `holds` is true."""
        with self._changed:
            if not self._changed.wait_for(holds, timeout=seconds):
                raise AssertionError(f"the service never said {what}; it said {self.states}")

    def said(self, line):
        """How often a line was said."""
        return sum(line in state for state in list(self.states))

    def forget(self):
        """Forgets what was said."""
        with self._changed:
            self.states.clear()
