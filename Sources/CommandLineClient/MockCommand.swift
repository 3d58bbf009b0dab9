internal import Faults
internal import Varlink

/// `sensorctl mock`: lets a fault of a simulated device begin or end.
struct MockCommand: Equatable {
    let words: FaultWords
    let format: OutputFormat

    /// What the words behind `mock` say, and the option for how long.
    init(_ operands: [String], duration: String?, _ format: OutputFormat) throws(UsageError) {
        guard !operands.isEmpty else {
            throw UsageError(
                "mock needs a fault: sensorctl mock unplug accelerometer --for 5s; there are "
                    + FaultWords.all.joined(separator: ", "))
        }
        guard duration == nil || !operands.contains("for") else { throw UsageError("--for is given twice") }
        do throws(FaultRefusal) {
            words = try FaultWords(operands + (duration.map { ["for", $0] } ?? []))
        } catch { throw UsageError(error.words) }
        self.format = format
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        switch words.order {
        case .begin(let fault, let nanoseconds):
            let answer = try broker.admin().call(MockInterface.inject, parameters(fault, nanoseconds))
            let name = try understand { () throws(VarlinkError) in try answer.string("resource") }
            try NamesFormat.print([name], fault.kind.rawValue, answer, format, terminal)
        case .end(let kind):
            var parameters: JSONObject = [:]
            if let kind { _ = parameters.append("fault", .string(kind.rawValue)) }
            if let resource = words.resource { _ = parameters.append("resource", .string("\(resource)")) }
            let answer = try broker.admin().call(MockInterface.clear, parameters)
            let names = try understand { () throws(VarlinkError) in try answer.strings("cleared") }
            try NamesFormat.print(names, kind == nil ? "cleared" : "replugged", answer, format, terminal)
            if names.isEmpty { terminal.note("sensorctl: nothing of that was wrong") }
        }
    }

    private func parameters(_ fault: Fault, _ nanoseconds: Int64?) -> JSONObject {
        var parameters: JSONObject = ["fault": .string(fault.kind.rawValue)]
        func add(_ name: String, _ value: JSONValue?) { if let value { _ = parameters.append(name, value) } }
        let amounts = fault.amounts
        add("resource", words.resource.map { .string("\($0)") })
        add("durationNanoseconds", nanoseconds.map { .integer($0) })
        add("count", amounts.count.map { .integer(Int64($0)) })
        add("intervalNanoseconds", amounts.intervalNanoseconds.map { .integer($0) })
        add("meters", amounts.meters.map { .number($0) })
        add("degrees", amounts.degrees.map { .number($0) })
        add("backNanoseconds", amounts.backNanoseconds.map { .integer($0) })
        return parameters
    }
}
