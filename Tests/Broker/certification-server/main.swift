internal import Glibc

exit(CertificationServer.run(Array(CommandLine.arguments.dropFirst())))
