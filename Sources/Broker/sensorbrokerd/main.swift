internal import Glibc
internal import Platform
internal import Programs

// Before anything opens a file.
Startup.begin()
// Device threads may hang in a library that waits for hardware: exit without waiting for them.
_exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
