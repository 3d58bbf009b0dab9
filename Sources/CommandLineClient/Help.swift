/// What `--help` prints.
enum Help {
    static let text = """
        Usage: sensorctl COMMAND [OPTION]...

        Commands:
          list                          the resources that the broker has, and how they are
          get RESOURCE                  one new reading
          watch RESOURCE[@INTERVAL]...  readings as they come, until Ctrl-C
          record [RESOURCE[@INTERVAL]...] FILE
                                        the same, with gaps and states, into a file that can be
                                        played again; every sample where no interval is given, of
                                        all resources where none is. A recording is continued. The name
                                        of FILE has a point or a slash in it: drive.ndjson, ./drive
          import INPUT RECORDING        makes a recording of a receiver's log (NMEA), a GPX file or a
                                        table (CSV); - is the standard input or output
          export RECORDING [FILE]       writes a recording as FILE.gpx, .csv, .kml or .geojson
          set SUBSCRIPTION RESOURCE@INTERVAL...
                                        changes a running watch, or adds a resource to it;
                                        watch --verbose tells its subscription first, and status
          doctor                        looks at what usually goes wrong, and says what to do;
                                        as root it sees more

        Commands for the broker's administrator:
          status                        devices and clients of the broker
          release RESOURCE | --kind KIND | --all [--for INTERVAL]
                                        gives devices up, so that something else can have them;
                                        returns when they are closed. Subscriptions stay
          reacquire RESOURCE | --kind KIND | --all
                                        takes them back
          reload                        has the configuration read again: all of it counts, or,
                                        where there is an error, nothing of it
          mock FAULT [RESOURCE] [AMOUNT] [--for INTERVAL]
                                        lets something go wrong with a simulated device:
                                        unplug, gpsd-restart, stall, late, drop N (or overflow N),
                                        lie RATE, refuse [RATE], no-fix, satellites N,
                                        jump 2km [north|90deg], utc-back 3s, week-rollover
          mock replug|clear [RESOURCE]  ends it

        An INTERVAL is written like 100ms, 1s, 2min, 250us, 50Hz, or 0 for every sample.

        Options of watch, record and set:
          --interval INTERVAL    for the resources that are given without one
          --rate RATE            the same as a rate: 50Hz
          --batch INTERVAL       readings may be gathered this long and come together
          --filter newest|mean   an interval's newest sample, or the mean over it
          --min-change CHANGE    only readings that moved so much: 5m, 0.2m/s2, 20mg;
                                 a bare number is in the unit of the readings

        Options of watch and record:
          --count N              ends after N readings; an object of json may hold several
          --for INTERVAL         ends after this time; with --count, it is how long to wait for N

        Options of watch:
          --verbose              all that the broker tells: the subscription's name, all grants and
                                 states, not only what is other than was asked for
          --reconnect            goes on when the broker has gone away and come back, and tells what is
                                 missing; without it only after a crash of the host's own service
          --no-reconnect         ends then, with 69

        Option of get:
          --wait                 waits for a resource that is unavailable; --timeout says how long

        Options of get, watch and status:
          --satellites           a location holds each satellite in view (not in csv, not of status)
          --utc                  people are told UTC rather than local time

        Option of status:
          --wide                 all there is, a line for each resource of each client

        Option of record:
          --max-size SIZE        ends before the file is longer: 100MB

        Options of import and export:
          --from nmea|gpx|csv    what INPUT is, if it does not look like it
          --columns LIST         which columns hold what: time=t:ms,x=ax,y=ay,z=az:g
          --interval INTERVAL    how far apart the points are, where they have no times
          --to gpx|csv|kml|geojson
          --resource NAME        what it is called in the recording; which one is exported
          --force                replaces the file that is to be made, where it is there already

        Options of all commands:
          --socket PATH          the broker's socket; else $SENSORBROKER_SOCKET, else
                                 /run/sensorbroker/io.sensorbroker.Broker, else the same in
                                 $XDG_RUNTIME_DIR/sensorbroker
          --instance NAME        the further broker of that name, in the same two places
          --timeout INTERVAL     how long the broker may take to answer (10s); also how long get
                                 waits for its reading
          --format text|json|csv
          --help, --version

        Formats:
          text  for people: local time, units, colours on a terminal (not with $NO_COLOR)
          json  an object a line. A line with "sequence" is a reading, just as the interface
                io.sensorbroker.Broker has it; the others have one of the keys "subscription",
                "grant", "resource", "gap", "ended", which hold what their names say
          csv   a header and then readings of one kind, a row a sample, "time" in UTC; all else
                is written to standard error

        Exit status: 0 done, 64 usage, 65 input with errors, 66 no input, 69 broker or resource
        not there, 73 file cannot be made, 74 file or output cannot be written, 75 timed out,
        77 not permitted, 78 configuration with errors. Ctrl-C ends record in order, with 0, and the others as it
        ends other programs (130 in a shell); no line is held back, so nothing is lost by that.

        """
}
