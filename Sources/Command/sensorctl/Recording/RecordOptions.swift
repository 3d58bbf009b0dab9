internal import BrokerClient
internal import Programs
internal import Readings

extension Command {
    static let record = Self(
        name: "record", summary: "Write readings, with gaps and states, into a file",
        operands: [
            Operand(
                name: "RESOURCE", completion: .resourcesAndFiles, isOptional: true, isRepeated: true,
                takesInterval: true),
            Operand(name: "FILE", completion: .resourcesAndFiles),
        ],
        options: Option.ofRequests + [.count, .duration, .maxSize] + Option.ofRotation, formats: [],
        description: [
            "The file is a recording, which `sensorbrokerd --replay FILE` plays and `sensorctl export` turns into other formats. "
                + "Without an interval, every sample of a resource is recorded; without a resource, every sample of all resources. A "
                + "new recording is appended to an existing one.",
            "The name of FILE must contain a dot or a slash, such as `drive.ndjson` or `./drive`, because a bare word may be a "
                + "mistyped resource. That of another format, such as `drive.csv`, is refused: `export` writes those.",
            "A FILE that ends in `.zst` is compressed. With `--rotate` or `--rotate-size` the recording goes on in one file after the "
                + "other, with the time of its beginning in its name: `drive-20261123T060000.000Z.ndjson.zst`. SIGHUP begins a new one. "
                + "Each is a recording of its own. A resource that is not there is waited for. While the disk is full, readings "
                + "are lost, which is reported in the next file or, if there is none, at the end.",
        ],
        examples: [
            ("sensorctl record accelerometer@10ms location drive.ndjson", "until Ctrl-C"),
            (
                "sensorctl record location@1s,min=5m accelerometer@1kHz,batch=100ms drive.ndjson",
                "each with options of its own"
            ),
            ("sensorctl record --for 1h --max-size 100MB everything.ndjson", "all resources, for an hour at most"),
            (
                "sensorctl record --rotate 1h --keep 7d --max-total 1G accelerometer log.ndjson.zst",
                "the last week, compressed, a file for each hour"
            ),
        ]
    ) { invocation throws(UsageError) in try RecordOptions(invocation) }
}

struct RecordOptions: Action, Equatable {
    /// The request for each resource; empty: every sample of all resources.
    let requests: [Request]
    let path: String
    /// The number of readings after which it ends.
    let count: Int?
    /// The time after which it ends.
    let durationNanoseconds: Int64?
    /// The greatest length of the file.
    let maximumBytes: Int64?
    /// When further files begin, and former ones are deleted; nil: there is one file.
    let rotation: Rotation?
    /// Whether SIGHUP means that the file has another name now.
    let reopens: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        let operands = invocation.operands
        if operands.last == "-" {
            throw UsageError("record writes a file; for a pipe there is: sensorctl watch RESOURCE --format json")
        }
        guard let path = operands.last, Self.isFile(path) else {
            throw UsageError(
                "record needs a file to write to, as in: sensorctl record accelerometer@10ms drive.ndjson; "
                    + "write ./NAME for a file whose name has no dot")
        }
        try ExportOptions.checkRecording(path)
        self.path = path
        requests = try Self.requests(operands.dropLast(), invocation)
        count = try WatchOptions.count(invocation)
        durationNanoseconds = try invocation.time(.duration)
        maximumBytes = try invocation.value(.maxSize, SizeText.bytes)
        rotation = try Self.rotation(invocation)
        reopens = invocation.has(.reopen)
    }

    private static func rotation(_ invocation: Invocation) throws(UsageError) -> Rotation? {
        var rotation = Rotation()
        rotation.everyNanoseconds = try invocation.time(.rotate)
        rotation.fileBytes = try invocation.value(.rotateSize, SizeText.bytes)
        rotation.keepNanoseconds = try invocation.time(.keep)
        rotation.totalBytes = try invocation.value(.maxTotal, SizeText.bytes)
        guard rotation != Rotation() else { return nil }
        guard rotation.everyNanoseconds != nil || rotation.fileBytes != nil else {
            let option = invocation.has(.keep) ? Option.keep : .maxTotal
            throw UsageError("\(option.text) deletes files of a recording that has several: add --rotate 1h")
        }
        guard !invocation.has(.maxSize) else {
            throw UsageError("--max-size ends a recording of one file; for each of several: --rotate-size")
        }
        return rotation
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var command = RecordCommand(self, terminal)
        try command.run(broker)
    }

    /// The request for each resource; without an interval, every sample.
    private static func requests(
        _ operands: ArraySlice<String>, _ invocation: Invocation
    ) throws(UsageError) -> [Request] {
        if operands.isEmpty, let option = Option.ofRequests.first(where: invocation.has) {
            throw UsageError(
                "\(option.text) of which resource? Without names, every sample of all resources is recorded")
        }
        return try WatchOptions.stream(operands, invocation).map { request in
            var request = request
            request.intervalNanoseconds = request.intervalNanoseconds ?? 0
            return request
        }
    }

    /// Whether an operand is meant as a file.
    ///
    /// A bare word may be a mistyped or unknown resource on a command line without a file. It would otherwise become a
    /// file of that name, with every sample of every resource.
    private static func isFile(_ text: String) -> Bool {
        if text.contains("/") { return true }
        if RequestOption.isIn(text) { return false }
        return text.contains(".") && !text.contains("@") && ResourceName(text) == nil
    }
}
