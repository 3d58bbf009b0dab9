import Delivery
import Foundation
import Readings
import Varlink

/// A client's own account of a stream that it changes: each reading and gap belongs to a request of the revision that was announced last,
/// and follows the grant that it has there.
struct RevisedStream {
    /// A request, and since when it is as it is.
    struct Wish {
        let request: Request
        let since: BootTime

        var interval: Int64 { max(request.intervalNanoseconds ?? 0, RevisedBroker.period) }
        var isMean: Bool { request.filter == .mean }
    }

    /// What has come of a wish.
    private struct Course {
        let wish: Wish
        /// The last reading before the wish was changed to this one.
        let formerly: Int64?
        var last: Int64?
        /// Readings that are reported as lost since then.
        var lost: Int64 = 0
        /// Readings after the change.
        var count = 0
        /// The one of them from which on they are on a grid, and how many have been due since.
        var origin: Int64?
        var due: Int64 = 0
        /// A gap without a count was reported since.
        var isUnknown = false
    }

    private(set) var faults: [String] = []
    private(set) var readings = 0
    private(set) var lost = 0
    private(set) var revision = 1
    /// By revision, and when that was.
    private var wishes: [[String: Wish]] = []
    private var times: [BootTime] = []
    private var courses: [String: Course] = [:]
    /// Up to three samples are lost at once, and the next one serves what was due last; so does the mean of the others.
    private let tolerance = 5 * RevisedBroker.period

    /// The requests of the newest revision, whether it was announced or not.
    var requests: [Request] { wishes.last.map { $0.values.map(\.request).sorted { $0.name < $1.name } } ?? [] }

    /// Whether some request was ever aligned to another: what it delivered came with others' readings.
    var hadCompanions: Bool { wishes.contains { $0.values.contains { $0.request.alignTo != nil } } }

    /// The client has changed its stream.
    mutating func change(to requests: [Request], _ now: BootTime) {
        let former = wishes.last ?? [:]
        var next: [String: Wish] = [:]
        for request in (try? Request.aligned(requests)) ?? [] {
            let isNew = former[request.name]?.request != request
            next[request.name] = isNew ? Wish(request: request, since: now) : former[request.name]
        }
        wishes.append(next)
        times.append(now)
        if wishes.count == 1 { for (name, wish) in next { courses[name] = Course(wish: wish, formerly: nil) } }
    }

    /// A message of the stream.
    mutating func take(_ message: Parameters) throws {
        if let revision = try message.optionalInteger("revision").map(Int.init(clamping:)), revision > self.revision {
            begin(revision)
        }
        // In a message, gaps stand behind all readings, wherever they belong.
        var events: [(time: Int64, name: String, what: Event)] = []
        for gap in try message.optionalObjects("gaps") ?? [] {
            if let name = try take(gap: gap) {
                let count = try gap.optionalInteger("count")
                events.append((try gap.integer("fromNanoseconds"), name, .gap(count)))
            }
        }
        for reading in try message.optionalObjects("readings") ?? [] {
            guard let (name, stamps) = try take(reading: reading) else { continue }
            events += stamps.map { ($0, name, .reading) }
        }
        for (time, name, what) in events.sorted(by: { $0.time < $1.time }) {
            guard var course = courses[name] else { continue }
            switch what {
            case .gap(let count?): course.lost += count
            case .gap(nil): (course.isUnknown, course.origin) = (true, nil)
            case .reading: take(time, name, &course)
            }
            courses[name] = course
        }
    }

    private enum Event {
        case gap(Int64?)
        case reading
    }

    private mutating func fail(_ words: String) { faults.append("revision \(revision): \(words)") }

    private mutating func begin(_ revision: Int) {
        let next = wishes[revision - 1]
        for (name, course) in courses where next[name]?.since != course.wish.since { end(course, name, by: revision) }
        self.revision = revision
        courses = next.reduce(into: [:]) { courses, pair in
            let former = self.courses[pair.key]
            if let former, former.wish.since == pair.value.since {
                courses[pair.key] = former
            } else {
                let isSame = former?.wish.request.resource == pair.value.request.resource
                courses[pair.key] = Course(wish: pair.value, formerly: isSame ? former?.last : nil)
            }
        }
    }

    /// Up to its end, all that was due was delivered or reported.
    private mutating func end(_ course: Course, _ name: String, by revision: Int) {
        let ends = (self.revision..<revision).filter { wishes[$0][name]?.since != wishes[$0 - 1][name]?.since }
        // What others lost that came and went meanwhile may be reported with it.
        guard ends.count == 1, course.wish.request.alignTo == nil, !course.isUnknown else { return }
        let until = times[ends[0]].nanoseconds
        let interval = course.wish.interval
        let covered = (course.last ?? course.wish.since.nanoseconds) + course.lost * interval
        let slack = (course.wish.isMean ? 5 : 3) * interval / 2 + tolerance
        // Before the first reading on the grid, one may have been due at once, and the next one sooner than an interval later.
        let early = course.count == 0 ? min(course.lost, course.last == nil ? 2 : 1) * interval : 0
        if until - covered > slack { fail("\(name) ended \(until - covered) ns after what it got: \(course)") }
        if covered - early - until > tolerance { fail("\(name) got \(covered - until) ns too much: \(course)") }
    }

    /// Whose gap it is.
    private mutating func take(gap: Parameters) throws -> String? {
        let (resource, label) = (try gap.string("resource"), try gap.optionalString("label"))
        let name = label ?? resource
        let count = try gap.optionalInteger("count")
        lost += Int(clamping: count ?? 0)
        guard let course = courses[name], course.wish.request.resource.description == resource else {
            // While the socket was full it may have come and gone.
            let isOfLater = wishes[revision...].contains { $0[name]?.request.resource.description == resource }
            if !isOfLater { fail("a gap of \(name), which it does not have") }
            return nil
        }
        let until = try gap.integer("untilNanoseconds")
        // The newest reading may have been due at once.
        if until <= course.wish.since.nanoseconds, count ?? 0 > 1 {
            fail("a gap of before the change: \(gap) \(course)")
        }
        return name
    }

    /// Whose reading it is, and the times of its samples.
    private mutating func take(reading: Parameters) throws -> (String, [Int64])? {
        let (resource, label) = (try reading.string("resource"), try reading.optionalString("label"))
        let name = label ?? resource
        let stamps = try Self.stamps(of: reading)
        readings += stamps.count
        guard let course = courses[name], course.wish.request.resource.description == resource else {
            fail("a reading of \(name), which it does not have")
            return nil
        }
        let request = course.wish.request
        if label != request.label { fail("a reading with the label \(label ?? "-"), not \(request.label ?? "-")") }
        if request.alignTo != nil { fail("a reading of \(name), which is aligned") }
        let isPacked = try reading.object("values").optionalObject("packed") != nil
        if stamps.count > 1, isPacked != request.wantsPacked { fail("\(name) is \(isPacked ? "" : "not ")packed") }
        if stamps.count > 1, request.batchNanoseconds == nil, !request.leads {
            fail("a batch of \(name), which has none")
        }
        let aligned = try (reading.optionalObjects("aligned") ?? []).map {
            try $0.optionalString("label") ?? $0.string("resource")
        }
        let companions = courses.filter { $0.value.wish.request.alignTo == name }.map(\.key)
        if aligned.sorted() != companions.sorted() { fail("\(name) has \(aligned), not \(companions)") }
        return (name, stamps)
    }

    private mutating func take(_ stamp: Int64, _ name: String, _ course: inout Course) {
        let (interval, since) = (course.wish.interval, course.wish.since.nanoseconds)
        if let formerly = course.formerly, stamp <= formerly {
            fail("\(name) got \(stamp) again, or before \(formerly)")
        }
        if stamp <= since, course.last != nil { fail("\(name) got \(stamp) of before its change at \(since)") }
        if let last = course.last, !course.isUnknown, stamp - last > (3 + 2 * course.lost) * interval / 2 + tolerance {
            fail("\(name) has a step of \(stamp - last): \(course)")
        }
        if stamp > since { course.count += 1 }
        // The second one after a change is on the grid, and so is the third mean.
        if let origin = course.origin {
            course.due += 1 + course.lost
            let late = stamp - origin - course.due * interval
            if abs(late) > tolerance + (course.wish.isMean ? interval / 2 : 0) {
                fail("\(name) got \(stamp), which is late by \(late) ns: \(course)")
            }
        } else if course.count > (course.wish.isMean ? 2 : 1) {
            (course.origin, course.due) = (stamp, 0)
        }
        (course.last, course.lost, course.isUnknown) = (stamp, 0, false)
    }

    private static func stamps(of reading: Parameters) throws -> [Int64] {
        let values = try reading.object("values")
        let first = try reading.integer("timestampNanoseconds")
        let columns = try values.optionalObject("columns") ?? values.object("packed")
        let count: Int =
            switch columns.object["x"] {
            case .array(let numbers)?: numbers.count
            case .string(let text)?: (Data(base64Encoded: text)?.count ?? 0) / 4
            default: 0
            }
        if let stamps = try values.optionalArray("timestampsNanoseconds") {
            return stamps.compactMap { if case .integer(let stamp) = $0 { stamp } else { nil } }
        }
        if let steps = try values.optionalString("packedStepsNanoseconds") {
            let bytes = [UInt8](Data(base64Encoded: steps) ?? Data())
            return stride(from: 0, to: bytes.count, by: 4).reduce(into: [first]) { stamps, offset in
                let step = (0..<4).reduce(Int64(0)) { $0 | Int64(bytes[offset + $1]) << (8 * $1) }
                stamps.append((stamps.last ?? 0) + step)
            }
        }
        let step = try values.optionalInteger("periodNanoseconds") ?? 0
        return (0..<count).map { first + Int64($0) * step }
    }
}
