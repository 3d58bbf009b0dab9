internal import Glibc
internal import MQTT
internal import Platform
internal import Programs

// Before anything opens a file.
Startup.begin()
if ConnectionProcess.isAsked(for: CommandLine.arguments) { _exit(ConnectionProcess.run().rawValue) }
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
