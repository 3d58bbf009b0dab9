internal import Devices
internal import Glibc
internal import IIO
internal import Platform
internal import Readings

/// A driver, and its output as lines of text.
struct Probe: ~Copyable {
    private static let usage =
        "usage: iio-probe [KIND=CHANGE] URI COUNT INTERVAL_NS LATENCY_NS "
        + "[[KIND=CHANGE] adjust INTERVAL_NS LATENCY_NS COUNT | reopen COUNT]...; "
        + "interval 0: its own; change 0: every sample; reopen: after a fault"

    private var device: IIOSensor
    private var intake = Intake()
    private var demand: Demand

    private init(_ address: IIOAddress, _ kind: Kind?, _ demand: Demand) {
        device = IIOSensor(SensorOptions(address: address), kind: kind ?? .acceleration)
        self.demand = demand
    }

    /// Opens, takes this many samples, adjusts or opens again, takes more, closes.
    static func run(_ arguments: [String]) throws(DeviceFault) {
        var words = arguments[...]
        var wish = wish(&words)
        guard let address = IIOAddress(words.popFirst() ?? "") else { throw DeviceFault(.failed, usage) }
        let count = number(&words)
        var probe = Probe(address, wish?.kind, demand(wish, &words))
        print("probe", describe(try probe.device.probe()))
        try probe.open(count, &words)
        while !words.isEmpty {
            wish = Self.wish(&words) ?? wish
            let word = words.popFirst()
            if word == "reopen" {
                // There was no fault to recover from.
                _ = number(&words)
                continue
            }
            guard word == "adjust" else { throw DeviceFault(.failed, usage) }
            try probe.adjust(to: demand(wish, &words))
            try probe.take(number(&words))
        }
        probe.device.close()
    }

    private mutating func adjust(to demand: Demand) throws(DeviceFault) {
        self.demand = demand
        print(Self.describe(try device.adjust(to: demand, &intake)))
    }

    private mutating func open(_ count: Int, _ words: inout ArraySlice<String>) throws(DeviceFault) {
        do throws(DeviceFault) {
            print(Self.describe(try device.open(demand)))
            try take(count)
        } catch {
            guard words.first == "reopen" else { throw error }
            words.removeFirst()
            print("fault \(error.kind.rawValue) \(error.description)")
            try open(Self.number(&words), &words)
        }
    }

    /// One kind alone, and the smallest change of it that matters.
    private typealias Wish = (kind: Kind, change: Double)

    private static func wish(_ words: inout ArraySlice<String>) -> Wish? {
        let parts = words.first?.split(separator: "=") ?? []
        guard parts.count == 2, let kind = Kind(wire: String(parts[0])), let change = Double(parts[1]) else {
            return nil
        }
        words.removeFirst()
        return (kind, change)
    }

    private static func demand(_ wish: Wish?, _ words: inout ArraySlice<String>) -> Demand {
        let interval = Int64(number(&words))
        return Demand(
            intervalNanoseconds: interval > 0 ? interval : nil, latencyNanoseconds: Int64(number(&words)),
            kinds: wish.map { [$0.kind] } ?? .all,
            changes: wish.map { $0.change > 0 ? [Quantity($0.kind): $0.change] : [:] } ?? [:])
    }

    private static func number(_ words: inout ArraySlice<String>) -> Int { words.popFirst().flatMap { Int($0) } ?? 0 }

    private mutating func take(_ count: Int) throws(DeviceFault) {
        var taken = 0
        while taken < count {
            Self.wait(for: device.readiness)
            var fault: DeviceFault?
            do throws(DeviceFault) { try device.read(into: &intake) } catch { fault = error }
            taken += intake.events.count
            for event in intake.events { print(Self.describe(event)) }
            fflush(nil)
            intake.removeAll()
            if let fault { throw fault }
        }
    }

    private static func wait(for readiness: Readiness) {
        switch readiness {
        case .insideRead: return
        case .descriptor(let descriptor, let deadline): sleep(until: deadline, or: descriptor)
        case .at(let deadline): sleep(until: deadline, or: -1)
        }
    }

    private static func sleep(until deadline: BootTime?, or descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let now = BootTime(nanoseconds: Clock.bootNanoseconds())
        let left = deadline.map { max($0 - now, 0) / 1_000_000 } ?? 600_000
        _ = unsafe poll(&entry, 1, Int32(clamping: left))
    }

    private static func describe(_ event: DeviceEvent) -> String {
        switch event {
        case .sample(let sample):
            guard case .values(let values) = sample.measurement else { return "a sample without values" }
            let age = BootTime(nanoseconds: Clock.bootNanoseconds()) - sample.timestamp
            let word = values.kind == .acceleration ? "sample" : values.kind.row.resource
            return "\(word) \(sample.sequence) \(age) \(values[0]) \(values[1]) \(values[2])"
        case .run: return [event].apart.map(describe).joined(separator: "\n")
        case .gap(let gap):
            let count = gap.count.map { "\($0)" } ?? "?"
            return "gap \(gap.cause.rawValue) \(count) \(gap.from.nanoseconds) \(gap.until.nanoseconds)"
        case .missing(let gap, let quantity): return "missing \(quantity.kind.wire) \(describe(.gap(gap)))"
        case .profile(let profile): return describe(profile)
        case .opened: return "opened"
        case .replaced: return "replaced"
        case .state(let state): return "state \(state.name)"
        case .failed(let reason, _): return "failed \(reason)"
        }
    }

    private static func describe(_ profile: DeviceProfile) -> String {
        "profile \(profile.intervalNanoseconds ?? 0) \(profile.offered) | \(profile.description ?? "") | axes of the \(profile.axes)"
    }
}
