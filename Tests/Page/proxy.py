"""A way to a port that can be cut: what was open dies, and nothing new gets through until it is mended."""

import contextlib
import selectors
import socket
import struct
import threading


class Proxy(threading.Thread):
    def __init__(self, port):
        super().__init__(daemon=True)
        self.target = port
        self.listener = self._listen(0)
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.pairs = {}
        self.lock = threading.Lock()
        self.isSilent = False
        self.start()

    def _listen(self, port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        return listener

    def run(self):
        while True:
            for key, _ in self.selector.select(0.05):
                with self.lock:
                    self._turn(key.fileobj)

    def _turn(self, ready):
        if ready is self.listener:
            near, _ = ready.accept()
            if self.isSilent:
                # It is taken and never answered, as by a router that has lost its way.
                self.pairs[near] = near
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for one, other in ((near, far), (far, near)):
                self.pairs[one] = other
                self.selector.register(one, selectors.EVENT_READ)
        elif ready in self.pairs:
            with contextlib.suppress(OSError):
                piece = ready.recv(65536)
                if piece:
                    self.pairs[ready].sendall(piece)
                    return
            self._drop(ready)

    def _drop(self, one, hard=False):
        for end in {one, self.pairs.pop(one)}:
            self.pairs.pop(end, None)
            with contextlib.suppress(KeyError):
                self.selector.unregister(end)
            if hard:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()

    def cut(self):
        """Connections are reset, and new ones refused."""
        with self.lock:
            self.selector.unregister(self.listener)
            self.listener.close()
            while self.pairs:
                self._drop(next(iter(self.pairs)), hard=True)

    def mend(self):
        with self.lock:
            self.listener = self._listen(self.port)
            self.selector.register(self.listener, selectors.EVENT_READ)

    def fall_silent(self):
        """Nothing is carried any more, and nobody is told."""
        with self.lock:
            self.isSilent = True
            for end in self.pairs:
                with contextlib.suppress(KeyError):
                    self.selector.unregister(end)

    def speak(self):
        """New connections work again; the old ones stay dead."""
        with self.lock:
            self.isSilent = False
