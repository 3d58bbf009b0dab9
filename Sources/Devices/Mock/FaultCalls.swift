public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Mock`: faults on demand, for simulated devices only.
///
/// The interface also exists with real devices, so that the error can report that they are real.
public struct FaultCalls {
    /// Injects or ends a fault of a simulated device; false if there was nothing to do, nil if there is no such device.
    public typealias Take = (FaultOrder, ResourceName) -> Bool?

    /// A resource that is served, and whether its device is simulated.
    public typealias Served = (name: ResourceName, kind: Kind, isSimulated: Bool)

    private let take: Take

    /// Answers calls; `take` injects faults.
    public init(take: @escaping Take) { self.take = take }

    /// Answers one call, given the resources that are served at present.
    public func answer(
        _ call: Call, _ served: [Served], into writer: inout JSONWriter
    ) throws(VarlinkError) {
        switch call.method {
        case "Inject": try inject(call.parameters, served, into: &writer)
        case "Clear": try clear(call.parameters, served, into: &writer)
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }

    private func inject(
        _ parameters: Parameters, _ served: [Served], into writer: inout JSONWriter
    ) throws(VarlinkError) {
        try parameters.allowOnly(
            "fault", "resource", "durationNanoseconds", "count", "intervalNanoseconds", "meters", "degrees",
            "backNanoseconds")
        let kind = try kind(parameters.string("fault"))
        let nanoseconds = try parameters.optionalInteger("durationNanoseconds", in: 1 ... .max)
        if nanoseconds != nil, kind.isMomentary { throw .invalidParameter("durationNanoseconds") }
        var amounts = FaultAmounts()
        amounts.count = try parameters.optionalInteger("count").map { Int(clamping: $0) }
        amounts.intervalNanoseconds = try parameters.optionalInteger("intervalNanoseconds")
        amounts.meters = try parameters.optionalNumber("meters")
        amounts.degrees = try parameters.optionalNumber("degrees")
        amounts.backNanoseconds = try parameters.optionalInteger("backNanoseconds")
        let fault: Fault
        do throws(FaultAmounts.Refusal) { fault = try amounts.fault(kind) } catch {
            throw .invalidParameter(error.name.rawValue)
        }
        let order = FaultOrder.begin(fault, nanoseconds: nanoseconds)
        let target = try target(of: order, parameters.optionalString("resource"), among: served)
        guard take(order, target) != nil else { throw .notSimulated("\(target)") }
        writer.beginReply()
        writer.member("resource", "\(target)")
        writer.endReply()
    }

    private func clear(
        _ parameters: Parameters, _ served: [Served], into writer: inout JSONWriter
    ) throws(VarlinkError) {
        try parameters.allowOnly("resource", "fault")
        var kind: FaultKind?
        if let word = try parameters.optionalString("fault") { kind = try self.kind(word) }
        let order = FaultOrder.end(kind)
        let name = try parameters.optionalString("resource")
        var targets: [ResourceName] = []
        if name == nil {
            targets = try Self.simulated(served).filter { $0.kind.row.hasDevice }.map(\.name)
        } else {
            targets = [try target(of: order, name, among: served)]
        }
        let cleared = targets.filter { take(order, $0) == true }
        writer.beginReply()
        writer.beginArray("cleared")
        for name in cleared { writer.string(name.description) }
        writer.endArray()
        writer.endReply()
    }

    private func kind(_ word: String) throws(VarlinkError) -> FaultKind {
        guard let kind = FaultKind(rawValue: word) else { throw .noSuchFault(word) }
        return kind
    }

    /// The device that an order is for; it must be known and simulated.
    private func target(
        of order: FaultOrder, _ text: String?, among served: [Served]
    ) throws(VarlinkError) -> ResourceName {
        var name: ResourceName?
        if let text {
            let known = ResourceName(text).flatMap { name in served.first { $0.name == name } }
            guard let resource = known else {
                throw .noSuchResourceToSimulate(text)
            }
            guard resource.isSimulated else { throw .notSimulated(text) }
            name = resource.name
        }
        let devices = try Self.simulated(served)
        do throws(FaultRefusal) { return try order.target(named: name, among: devices) } catch {
            throw .impossibleFault(error.words)
        }
    }

    private static func simulated(_ served: [Served]) throws(VarlinkError) -> [(name: ResourceName, kind: Kind)] {
        let devices = served.filter(\.isSimulated).map { (name: $0.name, kind: $0.kind) }
        guard !devices.isEmpty else { throw .notSimulated(nil) }
        return devices
    }
}

/// The errors of `io.sensorbroker.Mock`.
extension VarlinkError {
    static func notSimulated(_ name: String?) -> Self {
        .other(
            name: "io.sensorbroker.Mock.NotSimulated", parameters: name.map { ["resource": .string($0)] } ?? [:])
    }

    static func noSuchResourceToSimulate(_ name: String) -> Self {
        .other(name: "io.sensorbroker.Mock.NoSuchResource", parameters: ["resource": .string(name)])
    }

    static func noSuchFault(_ word: String) -> Self {
        .other(name: "io.sensorbroker.Mock.NoSuchFault", parameters: ["fault": .string(word)])
    }

    static func impossibleFault(_ message: String) -> Self {
        .other(name: "io.sensorbroker.Mock.ImpossibleFault", parameters: ["message": .string(message)])
    }
}
