internal import Formats
internal import Programs
internal import Readings

/// The options of the commands; to the parser, those of one name are the same.
extension Option {
    /// The options of every command.
    static let common = [socket, instance, timeout, format, help, version]

    static let socket = Self(
        "socket", takes: Value("PATH", .files), "Path of the broker's socket",
        "By default `$SENSORBROKER_SOCKET`, else `/run/sensorbroker/io.sensorbroker.Broker`, else the same name in "
            + "`$XDG_RUNTIME_DIR/sensorbroker`. The administrator's socket is looked for in the same directory, with `Admin` "
            + "instead of `Broker` in its name; its path may be given as well. While nothing listens there, it is tried again: the "
            + "broker may have been started a moment ago. A named socket has a second, the usual places a quarter of one.",
        excludes: "instance")
    static let instance = Self(
        "instance", takes: Value("NAME"), "Use the broker instance with that name",
        "It was started with `sensorbrokerd --instance NAME`, and its sockets have the name as a suffix. "
            + "Overrides `$SENSORBROKER_SOCKET`.", excludes: "socket")
    static let timeout = Self(
        "timeout", takes: .time, "How long the broker may take to answer (10s)",
        "Also how long `get` waits for its reading. If no answer comes, the broker is stopped or hangs, and the command ends "
            + "with 75. A stream that has begun is not limited. With `--for`, the wait for the first answer is no longer "
            + "than that, but at least two seconds.")
    static let format = Self(
        "format", takes: Value(oneOf: ReadingFormat.names), "How the output is written",
        "See Formats.")
}

// Options of streams
extension Option {
    /// The options for requests of a stream.
    static let ofRequests = [interval, rate, batch, filter, minChange, alignTo]

    static let interval = Self(
        "interval", takes: .interval, "Interval for resources that are named without one", excludes: "rate")
    static let rate = Self("rate", takes: Value("RATE"), "Interval as a rate: 50Hz", excludes: "interval")
    static let batch = Self("batch", takes: .time, "Gather readings for this long, and send them together")
    static let filter = Self(
        "filter", takes: Value(oneOf: ["newest", "mean"]),
        "Send an interval's newest sample, or the mean of all its samples")
    static let minChange = Self(
        "min-change", takes: Value("CHANGE"), "Send only readings that differ by at least this",
        "A change is written with its unit, like `5m` or `20mg`; a bare number is in the unit of the readings. \(changeUnits) "
            + "A unit that does not fit the resource is an error.")
    /// The units of a minimum change, from the table of kinds.
    private static var changeUnits: String {
        Kind.all.filter { !$0.row.changeUnit.symbol.isEmpty }.map { kind in
            let names = [kind.row.changeUnit.symbol] + kind.row.changeUnit.aliases.map(\.name)
            return "For \(kind.row.resource): " + names.map { "`\($0)`" }.joined(separator: ", ") + "."
        }.joined(separator: " ")
    }
    static let alignTo = Self(
        "align-to", takes: Value("RESOURCE", .resources), "Have its readings carry the values of the others",
        "Each reading of RESOURCE carries what the other resources measured at its time: interpolated between two of their readings, "
            + "absent where there is no reading on both sides or a gap lies between. The others have no readings of their own. "
            + "Readings are as late as the slowest of the others.")
    static let count = Self(
        "count", takes: Value("N"), "End after this many readings",
        "A line of `json`, and of a recording, may hold several readings, whose samples came together.")
    static let duration = Self(
        "for", takes: .time, "End after this time",
        "It also limits how long `--count` waits.")
    static let satellites = Self(
        "satellites", "Show each satellite in view", "A location holds them in `text` and `json`, but not in `csv`.")
    static let stats = Self(
        "stats", "Show what the stream is like, each second, instead of its readings",
        "For each resource: how many readings came, their rate and jitter by their own timestamps, how long after the "
            + "measurement they arrived, and how many were lost.", excludes: "columns")
    static let quiet = Self(
        "quiet", "Show readings only", "Gaps, states and grants are left out.", excludes: "verbose")
    static let chosenColumns = Self(
        "columns", takes: Value("LIST"), "Show only these columns of csv, in this order",
        "Such as `time,latitudeDegrees,longitudeDegrees`. With `--format text`, they are aligned for people.",
        excludes: "stats")
    static let utc = Self("utc", "Show times in UTC instead of local time")
    static let once = Self("once", "Print one page and end", "It is as long as it has to be, and has no colours.")
    static let wait = Self(
        "wait", "Wait for a resource that is unavailable",
        "Ends with its first reading, or when `--timeout` has elapsed.")
    static let verbose = Self(
        "verbose", "Show everything that the broker sends",
        "Without this option, the subscription's name, grants that match the request, and normal states are left out.",
        excludes: "quiet")
    static let reconnect = Self(
        "reconnect", "Reconnect whenever the broker has gone away",
        "It tries for as long as it takes, or until the end of `--for`. The watch then asks for what was granted last. If readings "
            + "are missing, a gap with the cause `restarted` is shown, without a count. Without this option, the watch "
            + "reconnects only after a crash of the host's own broker, in `/run/sensorbroker`, which systemd restarts, and "
            + "waits a minute at most. An orderly shutdown of that broker ends the watch with 69, because somebody wanted "
            + "it to end, and a new connection would start it again through its socket. The end of a broker that was "
            + "started by hand also ends the watch with 69. In either case the first connection is tried for a moment "
            + "only: if there is no broker, its name is probably wrong.",
        excludes: "no-reconnect")
    static let noReconnect = Self(
        "no-reconnect", "End with 69 when the broker has gone away", excludes: "reconnect")
    static let maxSize = Self("max-size", takes: Value("SIZE"), "End before the file is longer than this: 100MB")
}

// Options of recordings and other programs' files
extension Option {
    /// The options for recordings of several files.
    static let ofRotation = [rotate, rotateSize, keep, maxTotal, reopen]

    static let rotate = Self(
        "rotate", takes: .time, "Begin a new file this often",
        "It begins at whole multiples of the time in UTC: `1h` means at each full hour.", excludes: "reopen")
    static let reopen = Self(
        "reopen", "On SIGHUP, close FILE and open it again",
        "For logrotate, which has given it another name meanwhile.",
        excludes: "rotate")
    static let rotateSize = Self("rotate-size", takes: Value("SIZE"), "Begin a new file before one is longer than this")
    static let keep = Self(
        "keep", takes: .time, "Delete files that were last written longer ago than this: 7d",
        "Only recordings with a name of this series are ever deleted.")
    static let maxTotal = Self(
        "max-total", takes: Value("SIZE"), "Delete the oldest files when all together would be longer than this: 1G",
        "A file is then at most a quarter of that.")
    static let from = Self(
        "from", takes: Value("FORMAT", .words(FileFormat.commonNames)), "What the input is",
        "Needed only if the content does not show it. `csv`, `gpx` and `nmea` are read by this program, and all other names are those of "
            + "gpsbabel, such as `kml`, `garmin_fit`, `gtrnctr` (TCX) or `igc`; `gpsbabel -h` lists them.")
    static let columns = Self(
        "columns", takes: Value("LIST"), "The meaning of the columns of a table",
        "Written like `time=t:ms,x=ax,y=ay,z=az:g`: for each value the name of its column and, after a colon, its unit. The "
            + "unit of a time can also be `dmy`, `mdy` or `ymd`, for dates that begin with the day, the month or the year."
    )
    static let pointInterval = Self(
        "interval", takes: .interval, "Time between two points, if the file has no times")
    static let importedResource = Self(
        "resource", takes: Value("NAME", .resources), "Name of the resource in the recording",
        "Of a table with several sensors, the name of one of them, such as `gyroscope`, chooses it.")
    static let exportedResource = Self("resource", takes: Value("NAME", .resources), "Export only this resource")
    static let to = Self(
        "to", takes: Value(oneOf: ExportOptions.Target.allCases.map(\.rawValue)), "What is written",
        "Needed only if the name of FILE does not show it.")
    static let plotOutput = Self(
        "output", letter: "o", takes: Value("FILE", .files), "The file to write",
        "Its name determines the form. `-` is the standard output.")
    static let plottedResource = Self("resource", takes: Value("NAME", .resources), "Show only this resource")
    static let picture = Self(
        "picture", takes: Value("NAME"), "Draw only this picture, such as 'location track'",
        "For `.svg` and `.png`. A name that does not exist is answered with those that do.")
    static let title = Self("title", takes: Value("TEXT"), "The heading; by default the name of the recording")
    static let force = Self("force", "Replace the file if it exists")
}

// Options of feeds
extension Option {
    static let feedName = Self(
        "name", takes: Value("NAME"), "Name of the resource, such as accelerometer:arm",
        "By default the first one of its kind, such as `accelerometer`.")
    static let feedRate = Self(
        "rate", takes: Value("RATE"), "How many lines come in a second: 100Hz",
        "It is reported to clients. Lines that are read at once, without times, are this far apart.")
    static let feedCommand = Self(
        "exec", takes: Value("COMMAND"), "Read the output of a command instead of the standard input",
        "`/bin/sh` runs it only while somebody wants readings: then it is started, and started again if it ends; when nobody does, its "
            + "process group gets SIGTERM, and SIGKILL two seconds later.")
    static let feedDescription = Self("description", takes: Value("TEXT"), "The device, for people to read")
    static let feedRest = Self(
        "rest", takes: .time, "How long there may be no line although all is well",
        "For a sensor that reports only changes.")
    static let feedSimulated = Self("simulated", "Mark its readings as invented")
}

// Options of the administrator's commands
extension Option {
    static let wide = Self(
        "wide", "Show every value, with a line for each resource of each client",
        "The lines may be longer than the terminal.")
    static let textfile = Self(
        "textfile", takes: Value("FILE", .files), "Write to FILE, for node_exporter's textfile collector",
        "FILE is replaced in one step, and must end in `.prom`. It has the older format, which that collector reads. If the broker "
            + "does not answer, FILE says only `sensorbroker_up 0`.")
    static let check = Self(
        "check", "Print one line for Nagios or Icinga, and end with its statuses",
        "0: nothing is wrong. 1: something is worth knowing. 2: something does not work. 3: that cannot be found out.")
    /// The kinds that this program knows; a broker may know others.
    static let kinds = Kind.all.map(\.wire)

    static let kind = Self(
        "kind", takes: Value("KIND", .words(kinds)), "All resources of this kind",
        "This includes resources that are found later.", excludes: "all")
    static let all = Self("all", "All devices", excludes: "kind")
    static let releaseDuration = Self(
        "for", takes: .time, "Take the devices back after this time", "It is rounded up to whole seconds.")
    static let calibrationDuration = Self(
        "for", takes: .time, "Give up after this time (2min)",
        "What a magnetometer has shown by then is used if anything follows from it.")
    static let dryRun = Self("dry-run", "Measure, but store nothing")
    static let showCalibrations = Self("show", "Show what is stored", excludes: "forget")
    static let forgetCalibration = Self("forget", "Forget what is stored of the resource", excludes: "show")
    static let faultDuration = Self("for", takes: .time, "End the fault after this time")
}
