internal import Fleet
internal import Platform
internal import Spool
internal import Varlink

/// The sessions of a recording of a host: when one begins, and how they are dated.
///
/// A session begins at each boot, and where the clock was stepped; within a boot they only go forward, so messages of
/// several resources that come in turn around a step do not lead from one to the other and back. The header of a
/// session whose clock was not set yet has blanks behind it: once the right time is known, it is written there, in its
/// place, so that every reader of recordings finds it.
struct SessionHeaders {
    private struct Header {
        let epoch: Identity
        /// CLOCK_BOOTTIME of what was measured first.
        let first: Int64
        var clock: ClockReading?
        let offset: Int
        let length: Int
    }

    private let host: String
    private var present: Header?
    /// Those that may be dated anew.
    private var undated: [Header] = []

    /// What an identity of a boot, and a year, add to a header.
    private static let reserve = 96
    private static let mostUndated = 64

    init(_ host: String) { self.host = host }

    /// The boot of the present session, if it is known.
    var bootID: Identity? { present?.clock?.bootID }

    /// Whether an epoch is of another boot than the present session.
    func isOtherBoot(_ epoch: Identity, _ clocks: HostClocks) -> Bool {
        guard let present = present?.clock?.bootID, let boot = clocks.boot(of: epoch) else { return false }
        return present != boot
    }

    /// The next message begins a session.
    mutating func end() { present = nil }

    /// The header of a session, where one begins with what was measured at an instant; `offset`: where in the file.
    ///
    /// The header also states whether it is another boot than before: then stamps have nothing to do with those before.
    mutating func header(
        at instant: Int64?, in epoch: Identity, _ clocks: HostClocks, offset: () -> Int
    ) -> (bytes: [UInt8], isOtherBoot: Bool) {
        let known = clocks.relation(at: instant ?? .max, in: epoch)
        if let present, continues(present, known, epoch) { return ([], false) }
        var bytes = RecordedLines.header(host, known, Self.guess(instant))
        let isDated = known?.moment.isSynchronized ?? (known != nil)
        if !isDated { bytes = Self.padded(bytes, to: bytes.count + Self.reserve) }
        let header = Header(
            epoch: epoch, first: instant ?? known?.moment.bootNanoseconds ?? 0, clock: known, offset: offset(),
            length: bytes.count)
        let isOtherBoot = present.map { $0.clock?.bootID != known?.bootID } ?? false
        present = header
        if !isDated { remember(header) }
        return (bytes, isOtherBoot)
    }

    private func continues(_ present: Header, _ known: ClockReading?, _ epoch: Identity) -> Bool {
        guard let known else { return present.epoch == epoch }
        guard let clock = present.clock else { return false }
        return known.continues(clock)
            || known.bootID == clock.bootID && known.moment.bootNanoseconds < clock.moment.bootNanoseconds
    }

    /// The headers that are to be written anew by what is known by now, and where.
    mutating func corrections(_ clocks: HostClocks) -> [(offset: Int, bytes: [UInt8])] {
        var corrections: [(offset: Int, bytes: [UInt8])] = []
        var rest: [Header] = []
        for var header in undated {
            guard let better = clocks.relation(at: header.first, in: header.epoch) else {
                rest.append(header)
                continue
            }
            if !(header.clock.map { better.continues($0) } ?? false) || better.moment.isSynchronized == true {
                let bytes = RecordedLines.header(host, better, Self.guess(nil))
                guard bytes.count <= header.length else { continue }
                corrections.append((header.offset, Self.padded(bytes, to: header.length)))
                header.clock = better
                if present?.offset == header.offset { present = header }
            }
            if better.moment.isSynchronized == false { rest.append(header) }
        }
        undated = rest
        return corrections
    }

    /// Takes the header of a session from before the program was started, if it may be dated anew.
    mutating func resume(_ header: JSONObject, _ epoch: Identity, offset: Int, length: Int) {
        guard header["synchronized"] == .bool(false) || header["guessed"] == .bool(true) else { return }
        remember(
            Header(
                epoch: epoch, first: header.integer("bootNanoseconds") ?? 0, clock: nil, offset: offset, length: length)
        )
    }

    private mutating func remember(_ header: Header) {
        undated.append(header)
        if undated.count > Self.mostUndated { undated.removeFirst() }
    }

    /// No clock was reported yet: now is nearly right for what comes at its time, and is marked as a guess.
    private static func guess(_ instant: Int64?) -> Moment {
        Moment(bootNanoseconds: instant ?? 0, utcMicroseconds: Clock.realtimeNanoseconds() / 1_000)
    }

    /// A line with blanks before its end.
    private static func padded(_ line: [UInt8], to length: Int) -> [UInt8] {
        Array(line.dropLast()) + [UInt8](repeating: UInt8(ascii: " "), count: length - line.count)
            + [UInt8(ascii: "\n")]
    }
}
