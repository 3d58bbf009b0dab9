internal import Glibc
internal import Platform

// Before anything opens a file.
Startup.begin()
// The thread that dials may hang in a name server's silence: exit without waiting for it.
_exit(Program.run(Array(CommandLine.arguments.dropFirst())))
