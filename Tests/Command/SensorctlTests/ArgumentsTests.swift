import BrokerClient
import Programs
import Testing
import Varlink

@testable import sensorctl

@Suite struct ArgumentsTests {
    private func arguments(_ line: String) throws -> Arguments {
        try Arguments(line.split(separator: " ").map { String($0) })
    }

    private func action<Wanted>(_ line: String, as type: Wanted.Type = Wanted.self) throws -> Wanted {
        try #require(try arguments(line).action as? Wanted)
    }

    private func watch(_ line: String) throws -> WatchOptions { try action(line) }

    @Test("commands without operands are distinguished")
    func commands() throws {
        #expect(try action("list") == ListCommand())
        #expect(try action("status") == StatusCommand(isWide: false, isUTC: false))
        #expect(try action("status --wide --utc") == StatusCommand(isWide: true, isUTC: true))
        #expect(
            try action("get location")
                == GetCommand(
                    resource: "location", satellites: false, waits: false, format: .text, isUTC: false))
        #expect(
            try action("get location --satellites --wait")
                == GetCommand(resource: "location", satellites: true, waits: true, format: .text, isUTC: false))
    }

    @Test(
        "help and version override everything else",
        arguments: [
            ("--help", nil), ("-h", nil), ("help", nil), ("watch --help", "watch"), ("help watch", "watch"),
            ("watch x y -h --rate 5", "watch"),
        ])
    func help(line: String, topic: String?) throws {
        #expect(try action(line) == HelpCommand(topic: topic))
        #expect(try arguments("list --version").action is VersionCommand)
    }

    @Test("a value follows its option as a word or after an equals sign, before or after the command")
    func optionForms() throws {
        for line in ["list --socket /a=b --format json", "--format=json --socket=/a=b list"] {
            let arguments = try arguments(line)
            #expect(arguments.action is ListCommand && arguments.format == .json)
            #expect(arguments.socket == "/a=b")
        }
    }

    @Test("an instance and a timeout are options of all commands")
    func commonOptions() throws {
        let arguments = try arguments("status --instance two --timeout 1min")
        #expect((arguments.instance, arguments.timeoutNanoseconds) == ("two", 60_000_000_000))
        #expect(try self.arguments("list").timeoutNanoseconds == 10_000_000_000)
    }

    @Test("after -- there are no options")
    func endOfOptions() throws {
        #expect(try action("get -- --format", as: GetCommand.self).resource == "--format")
    }

    @Test("a resource of watch has its own interval, or the one of all")
    func watchIntervals() throws {
        let options = try watch("watch location accelerometer:1@20ms --interval 2s")
        #expect(options.requests.map { $0.resource } == ["location", "accelerometer:1"])
        #expect(options.requests.map { $0.intervalNanoseconds } == [2_000_000_000, 20_000_000])
        #expect(try watch("watch location").requests[0].intervalNanoseconds == nil)
        #expect(try watch("watch a@0 b --rate 50").requests.map { $0.intervalNanoseconds } == [0, 20_000_000])
        #expect(options.count == nil && options.durationNanoseconds == nil)
    }

    @Test("options of watch go into its requests")
    func watchOptions() throws {
        let options = try watch(
            "watch a b@1s --batch 1s --filter mean --min-change 0.2 --count 5 --for 10s")
        for request in options.requests {
            #expect(request.batchNanoseconds == 1_000_000_000)
            #expect(request.filter == "mean")
            #expect(request.minimumChange == 0.2)
        }
        #expect(options.count == 5)
        #expect(options.durationNanoseconds == 10_000_000_000)
    }

    @Test("a minimum change has a unit of the resource's kind, or none")
    func minimumChange() throws {
        for (line, value) in [
            ("location --min-change 5m", 5.0), ("location:ttyS0 --min-change 2km", 2_000),
            ("location --min-change 5", 5),
            ("accelerometer --min-change 0.2m/s2", 0.2), ("accelerometer:1 --min-change 0.2m/s²", 0.2),
            ("accelerometer --min-change 1g", 9.80665), ("accelerometer --min-change 500mg", 4.903325),
            ("location accelerometer --min-change 3", 3), ("thermometer --min-change 3", 3),
        ] {
            #expect(try watch("watch \(line)").requests.first?.minimumChange == value)
        }
        #expect(
            try action("set s accelerometer@1s --min-change 1g", as: SetCommand.self).requests[0].minimumChange
                == 9.80665)
    }

    @Test("a resource has options of its own, which go before those of the command")
    func resourceOptions() throws {
        let options = try watch(
            "watch location@1s,min=5m accelerometer@1kHz,batch=100ms light,filter=mean --filter newest --batch 2s")
        #expect(
            options.requests.map(\.json) == [
                [
                    "resource": "location", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 2_000_000_000,
                    "filter": "newest", "minimumChange": 5.0,
                ],
                [
                    "resource": "accelerometer", "intervalNanoseconds": 1_000_000, "batchNanoseconds": 100_000_000,
                    "filter": "newest",
                ], ["resource": "light", "batchNanoseconds": 2_000_000_000, "filter": "mean"],
            ])
        #expect(try watch("watch location,satellites accelerometer").requests.map(\.satellites) == [true, false])
        #expect(
            try watch("watch location,min=5m accelerometer --min-change 1").requests.map(\.minimumChange) == [5, 1])
        let recorded = try action("record location@1s,min=5m accelerometer,batch=0.5s ./f", as: RecordOptions.self)
        #expect(recorded.requests.map(\.batchNanoseconds) == [nil, 500_000_000] && recorded.path == "./f")
        #expect(recorded.requests.map(\.intervalNanoseconds) == [1_000_000_000, 0])
        #expect(try action("set s location@2s,min=1m", as: SetCommand.self).requests[0].minimumChange == 1)
    }

    @Test("an interval that looks like a rate is followed by a hint, unless it has a unit")
    func hints() throws {
        for line in ["watch accelerometer@50", "record accelerometer@50,batch=1s ./f", "set s accelerometer@50"] {
            #expect(
                try arguments(line).hints.map { $0.prefix { $0 != ";" } } == [
                    "accelerometer@50 is a reading every 50 s"
                ])
            #expect(try arguments(line).hints[0].contains("accelerometer@50Hz"))
        }
        #expect(try arguments("watch a --interval 2.5").hints[0].contains("--interval 2.5Hz"))
        for line in [
            "watch a@1 b@0.02 c@50Hz d@50s e@0", "watch a --interval 1", "get a --timeout 50", "record ./a@50",
        ] {
            #expect(try arguments(line).hints == [])
        }
    }

    @Test("a request is sent without defaults")
    func requestJSON() throws {
        #expect(try Request("a").json == ["resource": "a"])
        #expect(
            try watch("watch a@1s --batch 2s --filter mean --min-change 1").requests[0].json == [
                "resource": "a", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 2_000_000_000,
                "filter": "mean", "minimumChange": 1.0,
            ])
    }

    @Test("set names a subscription and intervals")
    func set() throws {
        let set = try action("set 5f3a a@50Hz b@0", as: SetCommand.self)
        #expect(set.subscription == "5f3a")
        #expect(set.requests.map { $0.intervalNanoseconds } == [20_000_000, 0])
    }

    @Test("release and reacquire take one of three scopes")
    func release() throws {
        #expect(try action("release a --for 10min") == ReleaseCommand(scope: .resource("a"), seconds: 600))
        #expect(
            try action("release --kind acceleration") == ReleaseCommand(scope: .kind("acceleration"), seconds: nil))
        #expect(try action("reacquire --all") == ReacquireCommand(scope: .all))
        #expect(try arguments("reload").action is ReloadCommand)
        for (text, seconds) in [("0.5", 1), ("1500ms", 2), ("2s", 2), ("1min 30s", 90), ("infinity", nil)]
            as [(String, Int64?)]
        {
            let release = try Arguments(["release", "--all", "--for", text]).action as? ReleaseCommand
            #expect(release?.seconds == seconds)
        }
        #expect(ReleaseCommand.Scope.kind("a").parameters == ["kind": "a"])
        #expect(ReleaseCommand.Scope.all.parameters == ["all": true])
    }

    @Test("record takes every sample without an interval, and all resources without a name")
    func record() throws {
        let options = try action("record a@10ms b ./location --max-size 5MB --count 9", as: RecordOptions.self)
        #expect(options.requests.map(\.resource) == ["a", "b"])
        #expect(options.requests.map(\.intervalNanoseconds) == [10_000_000, 0])
        #expect((options.path, options.maximumBytes, options.count) == ("./location", 5_000_000, 9))
        let all = try action("record drive.rec --for 1min", as: RecordOptions.self)
        #expect(all.requests.isEmpty && all.path == "drive.rec" && all.durationNanoseconds == 60_000_000_000)
    }

    @Test("export takes the format from the file's name or from --to")
    func export() throws {
        for (line, target) in [
            ("export a b.GPX", ExportOptions.Target.gpx), ("export a b.json", .geojson), ("export a --to kml", .kml),
            ("export a b.gpx --to csv", .csv),
        ] {
            #expect(try action(line, as: ExportOptions.self).target == target)
        }
    }

    private static let wrong: [(String, String)] = [
        ("", "a command is missing"), ("frob", "'frob'"), ("list x", "'x'"), ("status x", "'x'"),
        ("get", "get needs RESOURCE, as in: sensorctl get location"),
        ("get a b", "'b'"), ("watch", "needs RESOURCE"), ("watch a@", "''"), ("watch @1s", "'@1s'"),
        ("watch a@fast", "'fast'"), ("watch a@1s a@2s", "twice"),
        ("watch a --interval 1s --rate 1Hz", "exclude each other"),
        ("watch a --filter median", "'median'"), ("watch a --count 0", "--count"), ("watch a --count -1", "--count"),
        ("watch a --count many", "--count"), ("watch a --for 0", "--for"), ("watch a --min-change -5m", "'-5m'"),
        ("watch a --min-change inf", "'inf'"), ("watch a --min-change 1e9m", "'1e9m'"),
        ("watch accelerometer --min-change 5m", "accelerometer is measured in m/s²"),
        ("watch location --min-change 1g", "location is measured in m"),
        ("watch location accelerometer --min-change 5m", "accelerometer is measured in m/s²"),
        ("record accelerometer ./f --min-change 5m", "m/s²"), ("set s accelerometer@1s --min-change 5m", "m/s²"),
        ("watch orientation --min-change 1", "not a number"), ("watch thermometer --min-change 5m", "something else"),
        ("watch location --min-change 5furlongs", "'5furlongs'"),
        ("watch a --reconnect --no-reconnect", "exclude each other"),
        ("watch a --align-to a", "name another resource"), ("watch accelerometer --satellites", "--satellites is for"),
        ("watch location accelerometer,satellites", "not to accelerometer"),
        ("watch a --format mcap --stats", "no place for what --stats adds"),
        ("watch a --format mcap --columns time", "no place for what --columns adds"),
        ("watch a b --align-to c", "name c among the resources too"), ("record a ./f --align-to c", "name c"),
        ("watch a orientation --align-to a", "orientation cannot be aligned"),
        ("watch pressure light --align-to pressure --min-change 5", "leave out one of the two"),
        ("watch a,frob=1", "has no option 'frob'"), ("watch a,mn=1", "did you mean 'min'?"),
        ("watch a,", "no option ''"),
        ("watch a,batch", "a,batch=TIME"), ("watch a,batch=", "a,batch=TIME"), ("watch a,batch=x", "'x'"),
        ("watch a,satellites=1", "takes no value"), ("watch a,filter=men", "did you mean 'mean'?"),
        ("watch a,min=1,min=2", "'min' is given twice"), ("watch ,min=1", "names no resource"),
        ("watch accelerometer,min=5m", "accelerometer is measured in m/s²"), ("watch a,min=1 a", "twice"),
        ("record accelerometer,batch=0.5s", "needs a file"),
        ("watch a b,min=1 --align-to a", "leave out one of the two"),
        ("watch a --batch x", "'x'"), ("watch a --batch 50Hz", "not a time span"),
        ("watch a@infinity", "not an interval"),
        ("lst", "did you mean 'list'?"), ("watch a --inteval 1s", "did you mean --interval?"),
        ("--inteval 1s watch a", "did you mean --interval?"), ("watch a --filter men", "did you mean 'mean'?"),
        ("list --format xml", "there are text, json and csv"), ("help wach", "did you mean 'watch'?"),
        ("mock unplg", "did you mean unplug?"),
        ("record a day.csv", "sensorctl export day.ndjson day.csv"), ("record ./day.GPX", "a recording, and no gpx"),
        ("record a --rotate 1h d/day.csv.zst", "sensorctl export d/day.ndjson.zst d/day.csv"),
        ("import a b.csv", "a recording, and no csv"),
        ("record a ./f --format csv", "--format is not for record"), ("import a b --format json", "not for import"),
        ("export a b.csv --format csv", "--to"), ("plot a -o b.svg --format json", "not for plot"),
        ("feed light --format csv", "not for feed"), ("reload --format json", "not for reload"),
        ("record", "needs FILE"), ("record accelerometer", "needs a file"), ("record a@10ms", "needs a file"),
        ("record location accelerometer:1", "needs a file"), ("record a -", "watch"),
        ("record ./f --rate 5Hz", "--rate"),
        ("record gyroscope", "./NAME"), ("record drive", "./NAME"), ("record accelerometer1", "./NAME"),
        ("record location:boat.2", "./NAME"), ("record a@1.5s", "./NAME"), ("record a --force", "--force is for"),
        ("record a ./f --max-size 5", "'5'"), ("watch a --max-size 5MB", "--max-size is for record"),
        ("import a", "sensorctl import"), ("import a b --from kml,x=y", "'kml,x=y'"),
        ("import a b --interval 0", "--interval"),
        ("import a b --resource X", "'X'"), ("export a", "--to"), ("export a b.txt", "--to"), ("export", "RECORDING"),
        ("export a b --to x", "'x'"), ("watch a --to gpx", "--to is for export"),
        ("release", "one of the three"), ("release a b", "'b'"), ("release a --all", "one of the three"),
        ("reacquire --kind x --all", "exclude each other"),
        ("reacquire a --for 3s", "--for is for watch, record, fleet, calibrate, release and mock"),
        ("release a --for soon", "not a time span"), ("release a --for 0", "--for"),
        ("release --kind", "--kind"),
        ("list --all", "--all is for fleet, release and reacquire"), ("reload x", "'x'"), ("release --all=1", "--all"),
        ("list --count 3", "--count is for watch"), ("get a --interval 1s", "--interval is for watch"),
        ("set x", "set needs SUBSCRIPTION RESOURCE@INTERVAL"), ("set x a", "a@100ms"), ("list --format xml", "'xml'"),
        ("list --socket", "--socket"),
        ("list --socket=", "--socket"), ("list --timeout 0", "--timeout"), ("list --timeout soon", "'soon'"),
        ("list --instance ../x", "'../x'"), ("list --instance a --socket b", "exclude each other"),
        ("list --frob", "--frob"),
        ("list -x", "-x"), ("list --help=x", "--help"),
        ("list --format json --format csv", "twice"), ("watch a --rate 0", "'0'"),
    ]

    @Test("a wrong command line is refused with the reason", arguments: wrong)
    func refuses(line: String, mention: String) {
        let error = #expect(throws: UsageError.self) { try arguments(line) }
        #expect(error?.description.contains(mention) == true)
    }
}
