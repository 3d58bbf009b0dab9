internal import Glibc

// Device threads may hang in a library that waits for hardware: exit without waiting for them.
_exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
