"""What iio-sensor-proxy and sensorbroker-desktop do, and what the desktop's programs do with each: the tables of docs/desktop.md.

test_desktop.py and test_desktop_programs.py see each row with real devices. The page has its tables from here, so a word that is
changed in one place only is found without the machine that has the devices."""

# Each situation, what iio-sensor-proxy does in it, and what our service does.
SITUATIONS = [
    ("situation", "iio-sensor-proxy 3.0", "sensorbroker-desktop"),
    ("the first claim", "answered before the first reading", "answered after the first reading"),
    ("a program that listens, and has claimed nothing", "gets values of others", "gets no values"),
    ("a second claim by the same program", "answered", "answered"),
    ("a release without a claim", "answered", "answered"),
    ("a claim of the compass", "answered", "answered"),
    ("the tilt", "not there", "a property"),
    ("a method that is not there", "`UnknownMethod`", "`UnknownMethod`"),
    ("a property that is not there", "`InvalidArgs`", "`UnknownProperty`"),
    ("a property is set", "`InvalidArgs`", "`PropertyReadOnly`"),
    ("a sensor goes", "all are informed", "all are informed"),
    ("the last sensor has gone", "the service ends, and udev starts it with the next sensor", "the service goes on"),
    ("it comes back", "programs claim anew", "claims still hold"),
]

# What a program shows of the same movements.
WORDS = "normal, left-up, bottom-up, right-up, normal"
QT_WORDS = "TopUp, LeftUp, TopDown, RightUp, TopUp"
LIGHT = "123.45, 0.5, 700, 9, 200.5"
HEADINGS = "270, 30, 123, 359, 1"

# Each program, what it claims and shows with both, and what it does when one of three is upgraded.
PROGRAMS = [
    ("program", "claims", "shows",
     "iio-sensor-proxy 3.0 is upgraded", "our broker is upgraded", "our service on the bus is upgraded"),
    ("`monitor-sensor`", "accelerometer, light, proximity", f"{WORDS}; {LIGHT}", "claims anew", "goes on", "claims anew"),
    ("Qt 5's plugin", "accelerometer, light, compass", f"{QT_WORDS}; {LIGHT}; {HEADINGS}", "does not claim anew", "goes on", "goes on"),
    ("Qt 6's plugin", "accelerometer, light, compass", f"{QT_WORDS}; {LIGHT}; {HEADINGS}", "does not claim anew", "goes on", "goes on"),
    ("GLib's proxy objects", "accelerometer, light, proximity, compass", f"{WORDS}; {LIGHT}; {HEADINGS}",
     "does not claim anew", "goes on", "goes on"),
    ("Python's D-Bus module", "accelerometer, light, proximity, compass", f"{WORDS}; {LIGHT}; {HEADINGS}",
     "does not claim anew", "goes on", "goes on"),
    ("geoclue with `where-am-i`", "compass", HEADINGS, "does not claim anew", "goes on", "goes on"),
    ("mutter", "accelerometer", "-", "claims anew", "goes on", "claims anew"),
]
