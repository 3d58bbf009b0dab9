"""Eleven sensors of a HID hub, which are devices of the kernel."""

import os

from sensor import Puppet, devices
from tools.waiting import until

COUNT = 11


class Hub(Puppet):
    def __init__(self):
        super().__init__(os.environ["HID_HUB"])
        self.plug()

    def plug(self):
        self.tell("plug")
        until(lambda: sum(os.path.exists(f"/dev/{device}") for device in devices()) == COUNT, "the kernel has all of them")

    def unplug(self):
        self.tell("unplug")
        until(lambda: not devices(), "the kernel has let go of them")

    def close(self):
        self.end()
        until(lambda: not devices(), "the kernel has let go of them")
