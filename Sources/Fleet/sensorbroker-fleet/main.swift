internal import Glibc
internal import MQTT
internal import Platform

// Before anything opens a file.
Startup.begin()
if ConnectionProcess.isAsked(for: CommandLine.arguments) { _exit(ConnectionProcess.run()) }
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
