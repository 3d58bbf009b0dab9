// Drives IIOSensor by hand and in tests, where the test process itself cannot go: into a namespace with a sysfs of
// its own. One line an event: `probe`, `profile`, `sample SEQUENCE AGE_NS X Y Z`, `gyroscope SEQUENCE AGE_NS X Y Z`, `gap CAUSE COUNT FROM UNTIL`,
// `fault KIND WORDS`. Ends with 1 after a fault.
internal import Devices
internal import Glibc

signal(SIGPIPE, SIG_IGN)
do throws(DeviceFault) {
    try Probe.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("fault \(error.kind.rawValue) \(error.description)")
    exit(1)
}
