internal import CLinux
internal import Glibc
internal import MQTT
internal import Platform
internal import Programs

// Before anything opens a file.
Startup.begin()
if ConnectionProcess.isAsked(for: CommandLine.arguments) { _exit(ConnectionProcess.run().rawValue) }
// A group is compressed every few seconds, with some hundred kilobytes that are needed for a moment.
_ = clinux_return_blocks(64 << 10)
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
