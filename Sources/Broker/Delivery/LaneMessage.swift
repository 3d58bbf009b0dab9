public import Readings

/// A lane's reply, the part of it that each member gets, and its effect on the member's account.
///
/// Nearly always, every member gets all of it. But if it contains a gap, a member that joined after the gap gets only the
/// readings, and one that has seen the readings gets only the gap. A member that joined while a batch was being gathered gets
/// the rest of the batch, so a newcomer does not shorten the batches of others. A reading may also be for one member alone.
public struct LaneMessage {
    /// The part that a member gets.
    public enum Content: Equatable {
        case whole
        /// The readings from a certain one on, or none, and the gaps that concern the member.
        case part(from: Int?, gaps: [Gap])

        /// The index of the first reading in it; nil: it has none.
        public var firstReading: Int? {
            switch self {
            case .whole: 0
            case .part(let first, _): first
            }
        }
    }

    /// Oldest first.
    public let readings: SampleList
    /// What was lost.
    public let gaps: [Gap]
    /// Whether locations contain the satellites that they were made of.
    public let hasSatellites: Bool
    /// Whether values of several samples are sent packed.
    public let isPacked: Bool
    /// Whether it is sent through an `Alignment`.
    public let isAligned: Bool
    /// The number of the lane.
    public let lane: Int
    /// When the lane's next reading is due; nil: at once.
    public let nextDue: BootTime?
    /// Whether it is for one member, and not what its lane has gathered.
    public let isAlone: Bool
    private let range: ReadingRange?
    /// The readings, if there are no gaps, as nearly always; nil: there are gaps, or no readings.
    @usableFromInline let sole: ReadingRange?

    /// What a lane has gathered, or has for one member alone.
    init(
        of lane: Int, _ grant: Grant, _ readings: SampleList, _ gaps: [Gap], nextDue: BootTime?, isAlone: Bool = false
    ) {
        self.lane = lane
        self.isAlone = isAlone
        self.nextDue = nextDue
        self.readings = readings
        self.gaps = gaps
        hasSatellites = grant.hasSatellites
        isPacked = grant.isPacked
        isAligned = grant.isAligned
        range = ReadingRange(readings)
        sole = gaps.isEmpty && !isAlone ? range : nil
    }

    /// The part that a member gets; nil: nothing.
    public func content(for member: Member) -> Content? {
        if isAlone { return .whole }
        let first = range.flatMap { member.wantsAll(of: $0) ? 0 : member.firstWanted(of: readings) }
        let concerning = gaps.filter { member.concerns($0) }
        if first == nil, concerning.isEmpty { return nil }
        return first == 0 && concerning.count == gaps.count ? .whole : .part(from: first, gaps: concerning)
    }

    /// The readings in a member's part.
    public func readings(in content: Content) -> SampleList {
        content.firstReading.map { readings[$0...] } ?? []
    }

    /// The gaps in a member's part.
    public func gaps(in content: Content) -> [Gap] {
        switch content {
        case .whole: gaps
        case .part(_, let gaps): gaps
        }
    }

    /// Sends it to members; `send` returns whether the client's socket took it, nil if there is no such client.
    ///
    /// Inlined into its caller with all that nearly every member needs, since it is done for each message to each client.
    @inlinable
    @inline(__always)
    public func send(to members: inout [Member], _ send: (Content, Client) -> Bool?) {
        var members = members.mutableSpan
        for index in members.indices { self.send(to: &members[index], send) }
    }

    @inlinable
    @inline(__always)
    func send(to member: inout Member, _ send: (Content, Client) -> Bool?) {
        if let sole, member.wantsAll(of: sole) {
            // Nearly every member takes this path, so it is short.
            switch send(.whole, member.client) {
            case true?: member.didDeliver(sole)
            case false?: didLose(&member)
            case nil: break
            }
        } else {
            sendPart(to: &member, send)
        }
    }

    @usableFromInline
    @inline(never)
    func didLose(_ member: inout Member) { member.didLose(readings) }

    @usableFromInline
    @inline(never)
    func sendPart(to member: inout Member, _ send: (Content, Client) -> Bool?) {
        guard let content = content(for: member), let isSent = send(content, member.client) else { return }
        let before = member.delivered + member.lost
        if !isSent {
            member.didLose(readings(in: content))
        } else if isAlone {
            for reading in readings { member.didDeliver(alone: reading) }
        } else if let range = range(of: content) {
            member.didDeliver(range)
        }
        assert(
            member.delivered + member.lost == before + readings(in: content).count, "what is due is delivered or lost")
        for gap in gaps(in: content) { if isSent { member.didReport(gap) } else { member.willReport(gap) } }
    }

    private func range(of content: Content) -> ReadingRange? {
        content.firstReading.flatMap { $0 == 0 ? range : ReadingRange(readings[$0...]) }
    }
}
