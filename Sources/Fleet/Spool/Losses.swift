/// Losses that have to be reported, and those that were reported but are not acknowledged.
///
/// A report may be lost as well: then the next record reports both losses. So the newest record of neighbouring losses
/// always covers all of them, and there are few, however often a full spool evicts.
struct Losses {
    struct Key: Hashable {
        let stream: String
        let epoch: Identity
        let cause: Loss.Cause

        init(_ loss: Loss, of stream: String) { (self.stream, epoch, cause) = (stream, loss.epoch, loss.cause) }
    }

    private struct Report {
        let key: Key
        let numbers: ClosedRange<UInt64>
        let serial: UInt64
    }

    /// How many numbers were lost, whether reported or not.
    private(set) var total: UInt64 = 0

    private var unreported: [Key: NumberSet] = [:]
    private var reports: [Report] = []

    var isEmpty: Bool { unreported.isEmpty }

    /// Numbers of a stream will never come.
    mutating func add(_ loss: Loss, of stream: String) {
        total = total.addingReportingOverflow(UInt64(loss.numbers.count)).partialValue
        restore(loss, of: stream)
    }

    /// A loss that was taken could not be reported.
    mutating func restore(_ loss: Loss, of stream: String) {
        unreported[Key(loss, of: stream), default: NumberSet()].insert(loss.numbers)
    }

    /// The next loss to report, together with its neighbours that were reported before; nil if all are reported.
    mutating func take() -> (stream: String, loss: Loss)? {
        let first = unreported.min { ($0.key.stream, $0.key.cause.rawValue) < ($1.key.stream, $1.key.cause.rawValue) }
        guard let (key, numbers) = first, let range = numbers.ranges.first else { return nil }
        var rest = numbers
        rest.removeAll(below: range.upperBound + 1)
        unreported[key] = rest.ranges.isEmpty ? nil : rest
        var lost = NumberSet()
        lost.insert(range)
        for report in reports where report.key == key { lost.insert(report.numbers) }
        let union = lost.ranges.first { $0.contains(range.lowerBound) } ?? range
        assert(union.contains(range), "a record reports at least the loss that it is for")
        return (key.stream, Loss(epoch: key.epoch, numbers: union, cause: key.cause))
    }

    /// A record at a serial reports a loss, and so the older ones that it covers are not needed any more.
    mutating func didReport(_ loss: Loss, of stream: String, at serial: UInt64) {
        let key = Key(loss, of: stream)
        reports.removeAll { $0.key == key && loss.numbers.contains($0.numbers) }
        assert(reports.last.map { $0.serial < serial } ?? true, "losses are reported in the order of their records")
        reports.append(Report(key: key, numbers: loss.numbers, serial: serial))
    }

    /// The record at a serial has arrived.
    mutating func acknowledge(_ serial: UInt64) {
        if !reports.isEmpty { reports.removeAll { $0.serial == serial } }
    }

    /// The record at a serial is lost itself: its loss is to be reported again, unless a newer record does.
    mutating func forget(_ serial: UInt64) {
        for lost in reports where lost.serial == serial {
            unreported[lost.key, default: NumberSet()].insert(lost.numbers)
        }
        reports.removeAll { $0.serial == serial }
    }
}
