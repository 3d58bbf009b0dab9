public import Readings

/// What a lane says this time, what each of its members gets of it, and what that makes of the member's account.
///
/// Nearly always every member gets the whole. Only where a gap is told, a member that joined after it gets the readings
/// alone, and one that has seen the readings the gap alone. One that came while the others' batch was being gathered gets
/// the rest of it: no newcomer shortens the batches of those before it.
public struct LaneMessage {
    /// What a member gets of it.
    public enum Content: Equatable {
        case nothing
        case whole
        case readingsOnly
        case gapsOnly
        /// The readings from one of them on, or none, with those of the gaps that concern the member.
        case own(from: Int?, gaps: [Gap])

        /// The place of the first of the readings that is in it; nil: none is.
        public var firstReading: Int? {
            switch self {
            case .whole, .readingsOnly: 0
            case .nothing, .gapsOnly: nil
            case .own(let first, _): first
            }
        }
    }

    /// Oldest first.
    public let readings: [Sample]
    /// What is told to be lost.
    public let gaps: [Gap]
    /// Whether locations are told with the satellites that they were made of.
    public let tellsSatellites: Bool
    /// Whether values of several samples are told packed.
    public let isPacked: Bool
    /// Whether it goes out through an `Alignment`.
    public let isAligned: Bool
    /// The lane's place among those whose due times a successor goes on with; nil: it is none of them.
    public let place: Int?
    /// When its next reading will be due; nil where that is of no use to another process.
    public let nextDue: BootTime?
    private let range: ReadingRange?
    /// The readings where nothing else is told, which is what nearly every member gets; nil: gaps are told, or nothing is.
    private let sole: ReadingRange?

    /// What a lane has gathered.
    public init(_ lane: borrowing Lane) { self.init(lane, place: nil, nextDue: nil) }

    init(_ lane: borrowing Lane, place: Int?, nextDue: BootTime?) {
        readings = lane.readings
        gaps = lane.gaps
        tellsSatellites = lane.grant.tellsSatellites
        isPacked = lane.grant.isPacked
        isAligned = lane.grant.isAligned
        (self.place, self.nextDue) = (place, nextDue)
        range = ReadingRange(readings[...])
        sole = gaps.isEmpty ? range : nil
    }

    /// What a member gets.
    public func content(for member: Member) -> Content {
        let first = range.flatMap { member.wantsAll(of: $0) ? 0 : member.firstWanted(of: readings) }
        let concerning = gaps.isEmpty ? 0 : gaps.count { member.concerns($0) }
        switch (first, concerning) {
        case (nil, 0): return .nothing
        case (0, gaps.count): return .whole
        case (0, 0): return .readingsOnly
        case (nil, gaps.count): return .gapsOnly
        default: return .own(from: first, gaps: concerning == 0 ? [] : gaps.filter { member.concerns($0) })
        }
    }

    /// The readings that are told to a member.
    public func readings(in content: Content) -> ArraySlice<Sample> {
        content.firstReading.map { readings[$0...] } ?? []
    }

    /// The gaps that are told to a member.
    public func gaps(in content: Content) -> [Gap] {
        switch content {
        case .whole, .gapsOnly: gaps
        case .nothing, .readingsOnly: []
        case .own(_, let gaps): gaps
        }
    }

    /// Hands it to a member; `send` returns whether the client's socket took it, nil where there is no such client.
    func send(to member: inout Member, _ send: (Content, Client) -> Bool?) {
        if let sole, member.wantsAll(of: sole) {
            // Nearly all of them, nearly always: so it is here, and short.
            switch send(.whole, member.client) {
            case true?: member.didDeliver(sole)
            case false?: member.didLose(readings[...])
            case nil: break
            }
        } else {
            sendPart(to: &member, send)
        }
    }

    private func sendPart(to member: inout Member, _ send: (Content, Client) -> Bool?) {
        let content = content(for: member)
        guard content != .nothing, let isSent = send(content, member.client) else { return }
        let before = member.delivered + member.lost
        if !isSent {
            member.didLose(readings(in: content))
        } else if let range = range(of: content) {
            member.didDeliver(range)
        }
        assert(
            member.delivered + member.lost == before + readings(in: content).count, "what is due is delivered or lost")
        for gap in gaps(in: content) { if isSent { member.didLearn(of: gap) } else { member.didNotLearn(of: gap) } }
    }

    private func range(of content: Content) -> ReadingRange? {
        content.firstReading.flatMap { $0 == 0 ? range : ReadingRange(readings[$0...]) }
    }
}
