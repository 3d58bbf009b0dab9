internal import Delivery
internal import Readings
internal import Varlink

/// What a lane says this time, encoded once for all its members, in buffers that are used again and again; and only once for
/// all lanes in which the same sample is due.
///
/// Nearly always every member gets the same bytes. Only where a gap is told, a member that joined after it gets the readings
/// alone, and one that has seen the readings the gap alone; those are encoded when the first such member turns up. One that
/// came while the others' batch was being gathered gets the rest of it: no newcomer shortens the batches of those before it.
struct LanePayload {
    /// What a member gets of it.
    enum Content: Equatable {
        case nothing
        case whole
        case readingsOnly
        case gapsOnly
        /// The readings from one of them on, or none, with those of the gaps that concern the member.
        case own(from: Int?)

        /// The place of the first of the readings that is in it; nil: none is.
        var firstReading: Int? {
            switch self {
            case .whole, .readingsOnly: 0
            case .nothing, .gapsOnly: nil
            case .own(let first): first
            }
        }
    }

    private(set) var readings: [Sample] = []
    private var portion: Portion?
    /// The readings where nothing else is told, which is what nearly every member gets; nil: gaps are told, or nothing is.
    private(set) var sole: Portion?
    private(set) var gaps: [Gap] = []
    /// The one reading that `whole` tells, alone: other lanes in which the same sample is due have the same to say.
    private var told: Sample?
    private var resource = ResourceName.location
    private var satellites = false
    private var whole = JSONWriter()
    private var readingsOnly = JSONWriter()
    private var gapsOnly = JSONWriter()
    private var own = JSONWriter()
    /// From which reading on `own` tells the readings, where it tells nothing else: who came together gets the same.
    private var ownFirst: Int?

    mutating func begin(_ lane: Lane, of resource: ResourceName) {
        readings = lane.readings
        portion = Portion(readings[...])
        gaps = lane.gaps
        sole = gaps.isEmpty ? portion : nil
        let soleReading = readings.count == 1 && gaps.isEmpty ? readings.first : nil
        if told == nil || told != soleReading || resource != self.resource || satellites != lane.grant.tellsSatellites {
            whole.removeAll()
        }
        told = soleReading
        self.resource = resource
        satellites = lane.grant.tellsSatellites
        readingsOnly.removeAll()
        gapsOnly.removeAll()
        ownFirst = nil
    }

    /// Lets go of the lane's readings, so that clearing the lane keeps its storage.
    mutating func end() {
        readings = []
        gaps = []
    }

    /// What a member gets; `send` it before the next member is asked for.
    mutating func content(for member: Member) -> Content {
        let first = portion.flatMap { member.wantsAll(of: $0) ? 0 : member.firstWanted(of: readings) }
        let concerning = gaps.isEmpty ? 0 : gaps.count { member.concerns($0) }
        switch (first, concerning) {
        case (nil, 0): return .nothing
        case (0, gaps.count):
            Self.encode(readings[...], gaps, resource, satellites, &whole)
            return .whole
        case (0, 0):
            Self.encode(readings[...], [], resource, satellites, &readingsOnly)
            return .readingsOnly
        case (nil, gaps.count):
            Self.encode([], gaps, resource, satellites, &gapsOnly)
            return .gapsOnly
        default:
            if concerning > 0 || first != ownFirst { own.removeAll() }
            ownFirst = concerning == 0 ? first : nil
            let rest = first.map { readings[$0...] } ?? []
            Self.encode(rest, gaps.filter { member.concerns($0) }, resource, satellites, &own)
            return .own(from: first)
        }
    }

    /// Hands the readings to a connection, where nothing else is told; returns whether the socket took them.
    mutating func sendSole(on connection: Connection, now: BootTime) -> Bool {
        Self.encode(readings[...], [], resource, satellites, &whole)
        return connection.stream(whole.bytes.span, now: now)
    }

    /// The readings in a message, as a member's account needs them; nil: it has none.
    func portion(of content: Content) -> Portion? {
        content.firstReading.flatMap { $0 == 0 ? portion : Portion(readings[$0...]) }
    }

    /// The readings in a message.
    func readings(in content: Content) -> ArraySlice<Sample> { content.firstReading.map { readings[$0...] } ?? [] }

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
        _ readings: ArraySlice<Sample>, _ gaps: [Gap], _ resource: ResourceName, _ satellites: Bool,
        _ writer: inout JSONWriter
    ) {
        guard writer.bytes.isEmpty else { return }
        writer.beginReply()
        writer.readings(readings, of: resource, withSatellites: satellites)
        writer.gaps(gaps, of: resource)
        writer.endReply(continues: true)
    }
}
