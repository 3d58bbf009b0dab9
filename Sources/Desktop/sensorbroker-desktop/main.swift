internal import Glibc
internal import Platform

// Before anything opens a file.
Startup.begin()
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
