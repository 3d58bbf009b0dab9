import Admission
import Delivery
import Readings

@testable import Service

/// Handovers of every possible shape, made by a generator.
struct RandomHandover<Generator: RandomNumberGenerator> {
    var generator: Generator

    mutating func handover() -> Handover {
        var handover = Handover()
        handover.generation = number(1 << 53)
        handover.needsLedger = coin()
        let names = ["location", "location:ttyUSB0", "accelerometer", "accelerometer:1", "orientation"].shuffled(
            using: &generator)
        handover.resources = names.prefix(Int(number(5))).map { resource($0) }
        let resources = handover.resources.map(\.name)
        handover.releases = Releases(
            (0..<number(4)).map { _ in
                Releases.Order(scope: scope(), isRelease: coin(), until: coin() ? instant() : nil)
            })
        handover.connections = (0..<number(6)).map { connection(UInt64($0), of: resources) }
        return handover
    }

    private mutating func resource(_ name: String) -> HandedResource {
        var resource = HandedResource(
            name: ResourceName(name) ?? .location,
            kind: name.hasPrefix("loc") ? .location : name.hasPrefix("acc") ? .acceleration : .orientation)
        if coin() { resource.interruption = Interruption(from: instant(), cause: cause()) }
        if coin() { resource.grid = instant() }
        if coin() { resource.periodNanoseconds = number(1 << 60) }
        return resource
    }

    private mutating func connection(_ index: UInt64, of resources: [ResourceName]) -> HandedConnection {
        var connection = HandedConnection(
            cookie: generator.next() & ~0xff | index, door: coin() ? .clients : .administrators,
            serial: Int(number(1 << 53)) + 1,
            slot: LedgerSlot(Int(number(1 << 20))), connectedSince: instant())
        connection.unread = bytes()
        connection.unsent = bytes()
        connection.isBlocked = coin()
        guard connection.door == .clients else {
            if coin() { connection.task = .release(resources) }
            return connection
        }
        switch number(4) {
        case 0: connection.task = .list
        case 1: if let resource = resources.randomElement(using: &generator) { connection.task = .read(read(resource)) }
        case 2: connection.task = .stream(stream(of: resources))
        default: break
        }
        return connection
    }

    private mutating func read(_ resource: ResourceName) -> HandedRead {
        HandedRead(resource: resource, since: instant(), deadline: instant(), withSatellites: coin())
    }

    private mutating func stream(of resources: [ResourceName]) -> HandedStream {
        let some = resources.filter { _ in coin() }
        var stream = HandedStream(
            id: StreamID(), revision: Int(number(1 << 53)),
            parts: some.enumerated().flatMap { index, resource in
                [part(of: resource, label: nil)]
                    + (0..<number(4)).map { part(of: resource, label: "label-\(index)-\($0)") }
            })
        stream.isRevisionPending = coin()
        stream.formerGaps = resources.filter { _ in coin() }.map { HandedGaps(name: name($0), gaps: gaps()) }
        stream.formerlyDelivered = Int(number(1 << 53))
        stream.formerlyLost = Int(number(1 << 53))
        return stream
    }

    private mutating func name(_ resource: ResourceName) -> StreamedName {
        StreamedName(resource: resource, label: coin() ? "label" : nil)
    }

    private mutating func part(of resource: ResourceName, label: String?) -> HandedPart {
        var request = Request(resource: resource)
        request.label = label
        if coin() { request.intervalNanoseconds = number(.max) }
        if coin() { request.batchNanoseconds = number(.max) }
        if coin() { request.filter = coin() ? .mean : .newest }
        if coin() { request.minimumChange = Double.random(in: 0...1e300, using: &generator) }
        request.wantsSatellites = coin()
        request.wantsPacked = coin()
        var part = HandedPart(
            request, intervalNanoseconds: number(1 << 60), batchNanoseconds: number(1 << 60),
            ClientAccount(
                since: instant(), outagesFrom: coin() ? instant() : nil, delivered: Int(number(1 << 53)),
                losses: losses(), pendingGaps: gaps(), nextDue: coin() ? instant() : nil))
        part.isGrantPending = coin()
        if coin() { part.lane = LedgerSlot(Int(number(Int64(LedgerLayout.lanes)))) }
        if coin() { part.batchReadings = Int(number(2_048)) + 1 }
        return part
    }

    private mutating func gaps() -> [Gap] {
        let causes: [Gap.Cause] = [
            .slowClient, .deviceOverflow, .deviceLost, .reconfigured, .restarted, .released,
        ]
        return causes.filter { _ in coin() }.map {
            Gap(cause: $0, count: coin() ? Int(number(1 << 53)) : nil, from: instant(), until: instant())
        }
    }

    private mutating func losses() -> Losses {
        var losses = Losses()
        for cause in Gap.Cause.allCases where coin() { losses[cause] = Int(number(1 << 53)) }
        return losses
    }

    private mutating func scope() -> ResourceScope {
        switch number(3) {
        case 0: .all
        case 1: .kind(coin() ? .location : .acceleration)
        default: .resource(coin() ? .location : .accelerometer)
        }
    }

    private mutating func cause() -> Gap.Cause { coin() ? .restarted : .deviceLost }

    private mutating func bytes() -> [UInt8] {
        coin() ? [] : (0..<number(40)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private mutating func instant() -> BootTime { BootTime(nanoseconds: number(1 << 62)) }

    private mutating func coin() -> Bool { Bool.random(using: &generator) }

    private mutating func number(_ limit: Int64) -> Int64 { Int64.random(in: 0..<limit, using: &generator) }
}
