internal import Delivery
public import Mock
public import Readings
internal import Varlink

/// The methods of `io.sensorbroker.Mock`: faults on demand, for simulated devices only.
///
/// The interface also exists with real devices, so that the error can say that they are real.
public struct MockCalls {
    /// Injects or ends a fault of a simulated device; false if there was nothing to do, nil if there is no such device.
    public typealias Take = (FaultOrder, ResourceName) -> Bool?

    private let broker: Broker
    private let take: Take

    /// Answers about the devices of a broker; `take` injects faults.
    public init(_ broker: Broker, take: @escaping Take) {
        self.broker = broker
        self.take = take
    }

    func answer(_ call: Call, into writer: inout JSONWriter) throws(VarlinkError) {
        switch call.method {
        case "Inject": try inject(call.parameters, into: &writer)
        case "Clear": try clear(call.parameters, into: &writer)
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }

    private func inject(
        _ parameters: Parameters, into writer: inout JSONWriter
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
        let target = try target(of: order, parameters.optionalString("resource"))
        guard take(order, target) != nil else { throw .notSimulated("\(target)") }
        writer.beginReply()
        writer.member("resource", "\(target)")
        writer.endReply()
    }

    private func clear(
        _ parameters: Parameters, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        try parameters.allowOnly("resource", "fault")
        var kind: FaultKind?
        if let word = try parameters.optionalString("fault") { kind = try self.kind(word) }
        let order = FaultOrder.end(kind)
        let name = try parameters.optionalString("resource")
        var targets: [ResourceName] = []
        if name == nil {
            for device in try devices() where device.kind.row.hasDevice { targets.append(device.name) }
        } else {
            targets = [try target(of: order, name)]
        }
        let cleared = targets.filter { take(order, $0) == true }
        writer.beginReply()
        writer.member("cleared", cleared.map(\.description))
        writer.endReply()
    }

    private func kind(_ word: String) throws(VarlinkError) -> FaultKind {
        guard let kind = FaultKind(rawValue: word) else { throw .noSuchFault(word) }
        return kind
    }

    /// The device that an order is for; it must be known and simulated.
    private func target(of order: FaultOrder, _ text: String?) throws(VarlinkError) -> ResourceName {
        var name: ResourceName?
        if let text {
            guard let resource = ResourceName(text), let index = broker.catalog.index(of: resource) else {
                throw .noSuchResourceToSimulate(text)
            }
            guard broker.catalog[index].device.isSimulated else { throw .notSimulated(text) }
            name = resource
        }
        let devices = try devices()
        do throws(FaultRefusal) { return try order.target(named: name, among: devices) } catch {
            throw .impossibleFault(error.words)
        }
    }

    private func devices() throws(VarlinkError) -> [(name: ResourceName, kind: Kind)] {
        let devices = broker.catalog.resources.filter(\.device.isSimulated).map {
            (name: $0.core.name, kind: $0.core.kind)
        }
        guard !devices.isEmpty else { throw .notSimulated(nil) }
        return devices
    }
}
