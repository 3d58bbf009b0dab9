internal import Mock
internal import Programs
internal import Varlink

extension Command {
    static let mock = Self(
        name: "mock", summary: "Begin or end a fault of a simulated device", audience: .administrator,
        operands: [
            Operand(name: "FAULT", completion: .words(FaultWords.all)),
            Operand(name: "RESOURCE", completion: .resources, isOptional: true, isRepeated: true),
        ],
        forms: ["FAULT [RESOURCE] [AMOUNT]... [--for TIME]", "replug|clear [RESOURCE]"],
        options: [.faultDuration],
        description: [
            "The faults are `unplug`, `gpsd-restart`, `stall`, `late`, `drop N` (or `overflow N`), `lie RATE`, `refuse [RATE]`, "
                + "`no-fix`, `satellites N`, `jump DISTANCE [DIRECTION]`, `utc-back TIME` and `week-rollover`. `replug` ends an "
                + "`unplug`, and `clear` ends all faults. The resource may be left out where only one can have the fault. "
                + "Without `--for`, a fault lasts until it is ended."
        ],
        examples: [
            ("sensorctl mock unplug accelerometer --for 5s", "the accelerometer is gone for five seconds"),
            ("sensorctl mock drop 20 accelerometer", "20 samples are lost in the device's buffer"),
            ("sensorctl mock jump 2km north --for 30s", "positions are two kilometres off for half a minute"),
            ("sensorctl mock clear", "everything works again"),
        ]
    ) { invocation throws(UsageError) in
        try MockCommand(invocation.operands, duration: invocation.options[.faultDuration])
    }
}

/// `sensorctl mock`: begins or ends a fault of a simulated device.
struct MockCommand: Action, Equatable {
    let words: FaultWords

    /// Reads the words after `mock`, and the value of `--for`.
    init(_ operands: [String], duration: String?) throws(UsageError) {
        guard duration == nil || !operands.contains("for") else { throw UsageError("--for is given twice") }
        do throws(FaultRefusal) {
            words = try FaultWords(operands + (duration.map { ["for", $0] } ?? []))
        } catch { throw UsageError(error.words) }
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        switch words.order {
        case .begin(let fault, let nanoseconds):
            let answer = try broker.admin().call(MockInterface.inject, parameters(fault, nanoseconds))
            let name = try understand { () throws(VarlinkError) in try answer.string("resource") }
            try terminal.print([name], fault.kind.rawValue, answer)
        case .end(let kind):
            var parameters: JSONObject = [:]
            parameters.member("fault", kind?.rawValue)
            parameters.member("resource", words.resource.map { "\($0)" })
            let answer = try broker.admin().call(MockInterface.clear, parameters)
            let names = try understand { () throws(VarlinkError) in try answer.strings("cleared") }
            try terminal.print(names, kind == nil ? "cleared" : "replugged", answer)
            if names.isEmpty { terminal.note("sensorctl: there was no such fault to end") }
        }
    }

    private func parameters(_ fault: Fault, _ nanoseconds: Int64?) -> JSONObject {
        var parameters: JSONObject = ["fault": .string(fault.kind.rawValue)]
        let amounts = fault.amounts
        parameters.member("resource", words.resource.map { "\($0)" })
        parameters.member("durationNanoseconds", nanoseconds)
        parameters.member("count", amounts.count.map { Int64($0) })
        parameters.member("intervalNanoseconds", amounts.intervalNanoseconds)
        parameters.member("meters", amounts.meters)
        parameters.member("degrees", amounts.degrees)
        parameters.member("backNanoseconds", amounts.backNanoseconds)
        return parameters
    }
}
