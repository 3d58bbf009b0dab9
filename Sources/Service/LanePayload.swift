internal import Delivery
internal import Readings
internal import Varlink

/// What a lane says this time, encoded once for all its members, in buffers that are used again and again; and only once for
/// all lanes in which the same sample is due.
///
/// Nearly always every member gets the same bytes. Only where a gap is told, a member that joined after it gets the readings
/// alone, and one that has seen the readings the gap alone; those are encoded when the first such member turns up.
struct LanePayload {
    /// What a member gets of it.
    enum Content: Equatable {
        case nothing
        case whole
        case readingsOnly
        case gapsOnly
        /// Some of several gaps, with or without the readings; encoded for this member alone.
        case own(hasReadings: Bool)

        var hasReadings: Bool {
            switch self {
            case .whole, .readingsOnly, .own(hasReadings: true): true
            case .nothing, .gapsOnly, .own(hasReadings: false): false
            }
        }
    }

    private(set) var readings: [Sample] = []
    private(set) var portion: Portion?
    private(set) var gaps: [Gap] = []
    /// The one reading that `whole` tells, alone: other lanes in which the same sample is due have the same to say.
    private var told: Sample?
    private var resource = ResourceName.location
    private var satellites = false
    private var whole = JSONWriter()
    private var readingsOnly = JSONWriter()
    private var gapsOnly = JSONWriter()
    private var own = JSONWriter()

    mutating func begin(_ lane: Lane, of resource: ResourceName) {
        readings = lane.readings
        portion = Portion(readings)
        gaps = lane.gaps
        let sole = readings.count == 1 && gaps.isEmpty ? readings.first : nil
        if told == nil || told != sole || resource != self.resource || satellites != lane.grant.tellsSatellites {
            whole.removeAll()
        }
        told = sole
        self.resource = resource
        satellites = lane.grant.tellsSatellites
        readingsOnly.removeAll()
        gapsOnly.removeAll()
    }

    /// Lets go of the lane's readings, so that clearing the lane keeps its storage.
    mutating func end() {
        readings = []
        gaps = []
    }

    /// What a member gets; `send` it before the next member is asked for.
    mutating func content(for member: Member) -> Content {
        let wantsReadings = portion.map { member.wants($0) } ?? false
        guard !gaps.isEmpty else {
            guard wantsReadings else { return .nothing }
            Self.encode(readings, [], resource, satellites, &whole)
            return .whole
        }
        let concerning = gaps.count { member.concerns($0) }
        switch (wantsReadings, concerning) {
        case (false, 0): return .nothing
        case (true, 0):
            Self.encode(readings, [], resource, satellites, &readingsOnly)
            return .readingsOnly
        case (true, gaps.count):
            Self.encode(readings, gaps, resource, satellites, &whole)
            return .whole
        case (false, gaps.count):
            Self.encode([], gaps, resource, satellites, &gapsOnly)
            return .gapsOnly
        default:
            own.removeAll()
            Self.encode(wantsReadings ? readings : [], gaps.filter { member.concerns($0) }, resource, satellites, &own)
            return .own(hasReadings: wantsReadings)
        }
    }

    /// Hands its bytes to a member's connection; returns whether the socket took them.
    func send(_ content: Content, on connection: Connection, now: BootTime) -> Bool {
        read(content) { connection.stream($0, now: now) }
    }

    /// Has a look at its bytes, which are not copied for it.
    func read<Result>(_ content: Content, _ look: (Span<UInt8>) -> Result) -> Result {
        switch content {
        case .nothing: look(Span())
        case .whole: look(whole.bytes.span)
        case .readingsOnly: look(readingsOnly.bytes.span)
        case .gapsOnly: look(gapsOnly.bytes.span)
        case .own: look(own.bytes.span)
        }
    }

    private static func encode(
        _ readings: [Sample], _ gaps: [Gap], _ resource: ResourceName, _ satellites: Bool, _ writer: inout JSONWriter
    ) {
        guard writer.bytes.isEmpty else { return }
        writer.beginReply()
        writer.readings(readings, of: resource, withSatellites: satellites)
        writer.gaps(gaps, of: resource)
        writer.endReply(continues: true)
    }
}
