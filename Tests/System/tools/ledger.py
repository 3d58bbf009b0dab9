"""What a consumer of a host's messages has got, and what it can prove by their numbers."""

import collections
import json

import zstandard

from tools.programs import HOST


class Ledger:
    """What a consumer has got, by resource and epoch: what is missing, and what of it was reported as lost."""

    def __init__(self, host=HOST, prefix="fleet"):
        self.host, self.prefix = host, prefix
        self.seen = collections.defaultdict(collections.Counter)
        self.messages, self.lost, self.began, self.status, self.clocks = [], [], {}, None, []
        self.groups, self.objects, self.causes = 0, {}, collections.Counter()

    def take(self, topic, payload):
        prefix = f"{self.prefix}/{self.host}/"
        if not topic.startswith(prefix):
            return
        name = topic[len(prefix):]
        if name == "status":
            self.status = json.loads(payload)
            return
        resource, late = name.removesuffix("/late"), name.endswith("/late")
        if name == "resend" or "/" in resource or not payload:
            return
        if payload[:4] == b"\x28\xb5\x2f\xfd":
            self.groups += 1
            lines = zstandard.ZstdDecompressor().decompressobj().decompress(payload).splitlines()
        else:
            lines = [payload]
        for line in lines:
            message = json.loads(line)
            key = (resource, message["epoch"])
            self.seen[key][message["number"]] += 1
            self.messages.append((resource, late, message))
            self.objects.setdefault((*key, message["number"]), line)
            # The same number always has the same bytes.
            assert self.objects[(*key, message["number"])] == line
            if "lost" in message:
                told = message["lost"]
                self.lost.append((resource, told["epoch"], told["from"], told["to"], told["cause"]))
                self.causes[told["cause"]] += 1
            if "began" in message:
                self.began[key] = message["began"]
            if "clock" in message:
                self.clocks.append((message["epoch"], message["clock"]))

    def is_told(self, resource, epoch, number):
        return any((resource, epoch) == (one, other) and first <= number <= last
                   for one, other, first, last, _ in self.lost)

    def missing(self):
        """What never came and was not told, as (resource, epoch, number)."""
        last = {key: max(numbers, default=0) for key, numbers in self.seen.items()}
        for (resource, _), began in self.began.items():
            if "previous" in began:
                key = (resource, began["previous"])
                last[key] = max(last.get(key, 0), began["last"])
        if self.status and self.status["state"] != "lost":
            for resource, numbers in self.status["streams"].items():
                key = (resource, self.status["epoch"])
                last[key] = max(last.get(key, 0), numbers["last"])
        return [(resource, epoch, number) for (resource, epoch), end in last.items() for number in range(1, end + 1)
                if number not in self.seen[(resource, epoch)] and not self.is_told(resource, epoch, number)]

    def epochs(self, resource):
        return [epoch for name, epoch in self.seen if name == resource]

    def count(self, resource):
        # It may be asked while another thread writes.
        return sum(len(numbers) for (name, _), numbers in list(self.seen.items()) if name == resource)

    def readings(self, resource):
        return [reading for name, _, message in self.messages if name == resource for reading in message.get("readings", [])]
