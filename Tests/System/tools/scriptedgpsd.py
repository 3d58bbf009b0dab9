"""A gpsd that does what a real one does not do on demand."""

import socket
import threading

from tools.programs import PATIENCE

GREETING = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\n'


def tpv(second):
    return ('{"class":"TPV","device":"/dev/x","mode":3,"time":"2026-03-15T10:00:%02d.000Z","lat":50.5,"lon":10.5}\n' % second)


class ScriptedGpsd:
    """Greets each client, logs the client's commands, and sends what the test tells it to."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lines, self.peers, self.ended = [], [], 0
        self.changed = threading.Condition()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            peer.sendall(GREETING.encode())
            threading.Thread(target=self.listen, args=(peer,), daemon=True).start()

    def listen(self, peer):
        try:
            for line in peer.makefile():
                with self.changed:
                    self.lines.append(line.strip())
                    if '"enable":true' in line:
                        self.peers.append(peer)
                    self.changed.notify_all()
        except OSError:
            pass
        with self.changed:
            self.ended += 1
            self.changed.notify_all()

    def until(self, condition, what):
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self), PATIENCE), f"waited for {what}: {self.lines}"

    def say(self, text):
        self.peers[-1].sendall(text.encode())

    def close(self):
        self.listener.close()
        for peer in self.peers:
            peer.close()
