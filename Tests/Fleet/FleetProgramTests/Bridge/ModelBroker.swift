import BrokerClient
import Glibc
import Platform
import Varlink

@testable import sensorbroker_mqtt

/// A broker on virtual time: it sends a reading at each multiple of a stream's interval, or several in a batch.
final class ModelBroker {
    private struct Stream {
        let name: String
        let resource: String
        var interval: Int64
        var batch: Int64
        var next: Int64
        var values: [(stamp: Int64, sequence: Int64)] = []
        weak var line: ModelLine?
    }

    /// Resources that it does not have.
    var missing: Set<String> = []
    /// The shortest interval that it grants.
    var shortest: Int64 = 1_000_000
    /// The shortest batch that it grants.
    var shortestBatch: Int64 = 0
    /// Whether nothing is measured.
    var isSilent = false
    /// Whether somebody who comes is turned away; who is there stays.
    var isClosed = false
    private(set) var turnedAway = 0
    private(set) var modifications = 0
    private(set) var isUp = true
    private(set) var now: Int64 = 0
    /// Set by whatever happens; whoever drives the model clears it.
    var isTouched = false
    /// How many readings a stream got, by resource.
    private(set) var sent: [String: Int64] = [:]

    private var streams: [Stream] = []
    private var names = 0

    /// When something is to be sent next.
    var next: Int64 { streams.map(\.next).min() ?? .max }

    func dial(_ path: String) throws(SystemError) -> any BrokerStream {
        guard isUp else { throw SystemError("connect \(path)", code: ECONNREFUSED) }
        guard !isClosed else {
            turnedAway += 1
            throw SystemError("connect \(path)", code: EAGAIN)
        }
        return try ModelLine(self)
    }

    /// Sends what is due.
    func advance(_ now: Int64) {
        self.now = now
        streams.removeAll { $0.line == nil }
        for index in streams.indices {
            while streams[index].next <= now {
                let resource = streams[index].resource
                defer { streams[index].next += streams[index].interval }
                guard !isSilent else { continue }
                sent[resource, default: 0] += 1
                streams[index].values.append((streams[index].next, sent[resource, default: 0]))
                flush(index)
            }
        }
    }

    /// The broker dies: all connections end.
    func kill() {
        isUp = false
        for stream in streams { stream.line?.end() }
        streams = []
        isTouched = true
    }

    func start() { isUp = true }

    fileprivate func take(_ call: Call, on line: ModelLine) {
        isTouched = true
        guard case .array(let requests)? = call.parameters.object["requests"],
            case .object(let request)? = requests.first,
            case .string(let resource)? = request["resource"]
        else { return }
        let interval = max(shortest, request.integer("intervalNanoseconds") ?? 1_000_000_000)
        let batch = max(shortestBatch, request.integer("batchNanoseconds") ?? 0)
        let grant =
            #"{"resource":"\#(resource)","intervalNanoseconds":\#(interval),"batchNanoseconds":\#(batch)}"#
        if call.qualifiedMethod == Interface.modify {
            modifications += 1
            guard case .string(let name)? = call.parameters.object["subscription"],
                let index = streams.firstIndex(where: { $0.name == name })
            else { return line.put(#"{"error":"\#(Interface.error("NoSuchSubscription"))"}"#) }
            flush(index, isForced: true)
            streams[index].interval = interval
            streams[index].batch = batch
            streams[index].next = now + interval
            line.put(#"{"parameters":{"grants":[\#(grant)]}}"#)
            streams[index].line?.put(
                #"{"parameters":{"revision":\#(modifications),"grants":[\#(grant)]},"continues":true}"#)
            return
        }
        guard !missing.contains(resource) else {
            return line.put(#"{"error":"\#(Interface.error("NoSuchResource"))","parameters":{}}"#)
        }
        names += 1
        streams.append(
            Stream(
                name: "s\(names)", resource: resource, interval: interval, batch: batch, next: now + interval,
                line: line)
        )
        line.put(#"{"parameters":{"subscription":"s\#(names)","grants":[\#(grant)]},"continues":true}"#)
    }

    private func flush(_ index: Int, isForced: Bool = false) {
        let stream = streams[index]
        guard let first = stream.values.first, let last = stream.values.last,
            isForced || last.stamp - first.stamp + stream.interval > stream.batch
        else { return }
        streams[index].values = []
        isTouched = true
        let head =
            #"{"resource":"\#(stream.resource)","sequence":\#(last.sequence),"timestampNanoseconds":\#(last.stamp),"#
        let content: String
        if stream.resource == "location" {
            content =
                #""location":{"fix":"3d","latitudeDegrees":48.125,"longitudeDegrees":11.5,"utcMicroseconds":\#(last.stamp / 1_000)}}"#
        } else {
            let numbers = stream.values.map { "\($0.sequence).25" }.joined(separator: ",")
            let stamps = stream.values.map { "\($0.stamp)" }.joined(separator: ",")
            content = #""values":{"columns":{"x":[\#(numbers)]},"timestampsNanoseconds":[\#(stamps)]}}"#
        }
        stream.line?.put(#"{"parameters":{"readings":[\#(head + content)]},"continues":true}"#)
    }
}

/// A connection to the model of a broker; its descriptor is readable while something waits.
final class ModelLine: BrokerStream {
    private let broker: ModelBroker
    private let event: WakeEvent
    private var messages: [[UInt8]] = []
    private var read: [[UInt8]] = []
    private var isEnded = false

    init(_ broker: ModelBroker) throws(SystemError) {
        self.broker = broker
        event = try WakeEvent()
    }

    var number: Int32 { event.descriptor }

    func send(_ bytes: [UInt8]) throws(ConnectionFault) {
        guard broker.isUp, let call = try? Call(parsing: bytes.dropLast(), limits: .replies) else { throw .closed }
        broker.take(call, on: self)
    }

    func receive() throws(ConnectionFault) {
        event.clear()
        if messages.isEmpty, isEnded { throw .closed }
        read += messages
        messages = []
        if isEnded { event.signal() }
    }

    func nextMessage() throws(ConnectionFault) -> [UInt8]? { read.isEmpty ? nil : read.removeFirst() }

    fileprivate func put(_ text: String) {
        messages.append(Array(text.utf8))
        event.signal()
    }

    fileprivate func end() {
        isEnded = true
        event.signal()
    }
}

extension JSONObject {
    fileprivate func integer(_ key: String) -> Int64? {
        if case .integer(let number)? = self[key] { number } else { nil }
    }
}
