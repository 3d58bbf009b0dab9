import Glibc

exit(CertificationClient.run(CommandLine.arguments))
