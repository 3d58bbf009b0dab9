internal import Glibc
internal import Platform
internal import Programs

// Before anything opens a file.
Startup.begin()
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
