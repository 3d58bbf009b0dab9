"""What an iiod could say to break its client, by the command that it answers."""

MOST = 2**31 - 1
# Each takes the connection and what was wanted.
LIES = {
    "READBUF": {
        "more": lambda c, wanted: b"%d\n%08x\n" % (wanted + 1000, c.mask) + bytes(wanted + 1000),
        "most": lambda c, wanted: b"%d\n%08x\n" % (MOST, c.mask) + bytes(1000),
        "second": lambda c, wanted: b"%d\n%08x\n" % (wanted // 2, c.mask) + bytes(wanted // 2) + b"%d\n" % wanted + bytes(wanted),
        "wide": lambda c, wanted: b"4294967312\n%08x\n" % c.mask + bytes(wanted),
        "least": lambda c, wanted: b"-2147483648\n",
        "errno": lambda c, wanted: b"-99999\n",
        "zero": lambda c, wanted: b"0\n",
        "short": lambda c, wanted: b"7\n%08x\n" % c.mask + bytes(7) + b"0\n",
        "letters": lambda c, wanted: b"sixteen\n",
        "digits": lambda c, wanted: b"1" * 100_000,
        "lines": lambda c, wanted: b"\n" * 100_000,
        "mask": lambda c, wanted: b"16\n-0000001\n" + bytes(16),
        "channels": lambda c, wanted: b"%d\nffffffff\n" % wanted + bytes(wanted),
        "blind": lambda c, wanted: b"%d\n00000001\n" % wanted + bytes(wanted),
        "longmask": lambda c, wanted: b"16\n" + b"0" * 100_000,
        "unasked": lambda c, wanted: b"%d\n%08x\n" % (wanted, c.mask) + bytes(wanted) + b"0\n0\n",
    },
    "READ": {
        "text": lambda c, wanted: b"%d\n" % MOST + b"1" * 100_000,
        "unended": lambda c, wanted: b"4\n1234" + b"5" * 1000,
    },
    "GETTRIG": {"trigger": lambda c, wanted: b"%d\n" % MOST + b"a" * 100_000},
    "PRINT": {
        "print": lambda c, wanted: b"%d\n<" % MOST,
        "nothing": lambda c, wanted: b"0\n\n",
        "garbage": lambda c, wanted: b"7\ngarbage\n",
        "entity": lambda c, wanted: c.described('description="fakeiiod"', 'description="&x;"'),
        "nodevice": lambda c, wanted: c.described('id="iio:device0"', 'id=""'),
        "unclosed": lambda c, wanted: c.described("</context>", ""),
        "inject": lambda c, wanted: c.described('id="accel_x"', 'id="accel_x&#13;&#10;EXIT"'),
    },
}
