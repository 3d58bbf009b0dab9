/// What `--help` prints.
enum Help {
    static let text = """
        Usage: sensorctl COMMAND [OPTION]...

        Commands:
          list                          the resources that the broker has, and how they are
          get RESOURCE                  one new reading
          watch RESOURCE[@INTERVAL]...  readings as they come, until Ctrl-C
          set SUBSCRIPTION RESOURCE@INTERVAL...
                                        changes a running watch, or adds a resource to it;
                                        watch tells its subscription in its first line

        Commands for the broker's administrator:
          status                        devices and clients of the broker
          release RESOURCE | --kind KIND | --all [--for INTERVAL]
                                        gives devices up, so that something else can have them;
                                        returns when they are closed. Subscriptions stay
          reacquire RESOURCE | --kind KIND | --all
                                        takes them back
          reload                        has the configuration read again: all of it counts, or,
                                        where there is an error, nothing of it

        An INTERVAL is written like 100ms, 1s, 2min, 250us, 50Hz, or 0 for every sample.

        Options of watch:
          --interval INTERVAL    for the resources that are given without one
          --rate RATE            the same as a rate: 50Hz
          --batch INTERVAL       readings may be gathered this long and come together
          --filter newest|mean   an interval's newest sample, or the mean over it
          --min-change CHANGE    only readings that moved so much: 5m, 0.2m/s2
          --count N              ends after N readings; an object of json may hold several
          --for INTERVAL         ends after this time; with --count, it is how long to wait for N

        Option of watch and get:
          --satellites           a location holds each satellite in view (not in csv)

        Options of all commands:
          --socket PATH          the broker's socket; else $SENSORBROKER_SOCKET, else
                                 /run/sensorbroker/io.sensorbroker.Broker, else the same in
                                 $XDG_RUNTIME_DIR/sensorbroker
          --format text|json|csv
          --help, --version

        Formats:
          text  for people: local time, units, colours on a terminal (not with $NO_COLOR)
          json  an object a line. A line with "sequence" is a reading, just as the interface
                io.sensorbroker.Broker has it; the others have one of the keys "subscription",
                "grant", "resource", "gap", "ended", which hold what their names say
          csv   a header and then readings of one kind, a row a sample, "time" in UTC; all else
                is written to standard error

        Exit status: 0 done, 64 usage, 69 broker or resource not there, 75 timed out,
        77 not permitted, 78 configuration with errors. Ctrl-C ends it as it ends other programs (130 in a shell); no line is
        held back, so nothing is lost by that.

        """
}
