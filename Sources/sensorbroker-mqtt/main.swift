internal import CLinux
internal import Glibc
internal import Platform

// Before anything opens a file.
Startup.begin()
// A group is compressed every few seconds, with some hundred kilobytes that are needed for a moment.
_ = clinux_return_blocks(64 << 10)
// The thread that dials may hang in a name server's silence: exit without waiting for it.
_exit(Program.run(Array(CommandLine.arguments.dropFirst())))
