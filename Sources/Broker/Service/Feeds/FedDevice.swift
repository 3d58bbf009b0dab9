internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// A device whose samples a program sends.
///
/// It lives as any device does (`DeviceLife`): probed, opened, asked for an interval, silent, lost, released. It has no thread: its
/// samples arrive in the loop, and go on to clients in the same turn.
final class FedDevice {
    let device: ServedDevice
    /// What it provides, in the order of the program's offer.
    let resources: [(name: ResourceName, kind: Kind)]
    let events: LoopFlag
    private let link: FeedLink
    private let clock: () -> BootTime
    private var life: DeviceLife<FeedDriver>
    /// The program that provides it now; nil: none.
    private(set) var provider: Provider?
    private var check = SampleTimes()
    private var refusals = FeedRefusals() { didSet { newDeadline.set() } }
    /// Since when samples are wanted; nil: they are not.
    private var wantedSince: BootTime?
    /// What was sent to the program last.
    private var sent: [UInt8] = []
    /// When its life needs a turn without an event.
    private var lifeDeadline: BootTime? { didSet { if lifeDeadline != oldValue { newDeadline.set() } } }
    /// Set when it may have to act at another instant.
    let newDeadline = ChangeMark()

    /// A device that no program provides yet; throws if the process is out of descriptors.
    init(
        _ resources: [(name: ResourceName, kind: Kind)], isSimulated: Bool, seed: UInt64, eventsOfAll: LoopFlag,
        clock: @escaping () -> BootTime
    ) throws(SystemError) {
        self.resources = resources
        self.clock = clock
        events = LoopFlag(among: eventsOfAll)
        let channel = try DeviceChannel(flag: events)
        device = ServedDevice(channel, from: .vacant, isSimulated: isSimulated)
        link = FeedLink()
        // The configuration gives the names, so they identify it.
        let names = resources.map(\.name.description).sorted().joined(separator: " and ")
        let driver = FeedDriver(link, identity: "\(isSimulated ? "simulated program" : "program") for \(names)")
        life = DeviceLife(supervisor: Supervisor(seed: seed), channel: channel, driver: driver, clock: clock)
        link.want = { [unowned self] demand in
            wantedSince = demand == nil ? nil : wantedSince ?? now
            send(demand: demand)
        }
    }

    var names: [ResourceName] { resources.map(\.name) }

    /// When it must act even without an event; nil: never.
    var deadline: BootTime? { BootTime.earlier(lifeDeadline, refusals.deadline) }

    /// Follows the commands that its channel has, and its deadlines.
    func turn(_ now: BootTime) {
        lifeDeadline = life.turn()
        if let deadline = refusals.deadline, deadline <= now { send(demand: link.demand, refusals.take(now: now)) }
    }

    // MARK: the program

    /// A program provides it from now on.
    func begin(_ provider: Provider, _ offer: FeedOffer) {
        assert(self.provider == nil, "one program provides a device")
        self.provider = provider
        (sent, refusals) = ([], FeedRefusals())
        link.offer = offer
        // It learns that nobody wants anything, unless it is opened at once.
        look(for: provider)
        if link.demand == nil { send(demand: nil) }
    }

    /// No program may provide it from now on if one of its names is forbidden.
    func follow(forbidden: ResourceName?) {
        guard link.forbidden != forbidden else { return }
        link.forbidden = forbidden
        look()
    }

    /// The program goes on under other rules.
    func follow(_ rules: [ResourceName: FeedPolicy.Rule]) {
        guard let provider else { return }
        provider.follow(rules)
        look(for: provider)
    }

    private func look(for provider: Provider) {
        link.shortestNanoseconds = max(1, Nanoseconds.second / Int64(max(1, provider.samplesPerSecond)))
        look()
    }

    private func look() {
        device.channel.request(.look)
        lifeDeadline = life.turn()
    }

    func end() {
        provider = nil
        link.offer = nil
        life.lose(DeviceFault(.lost, "the program that provides it has ended"))
        lifeDeadline = life.turn()
    }

    /// Sends the program what is wanted, and what was refused since that was last reported.
    private func send(demand: Demand?, _ refused: (count: Int, reason: String)? = nil) {
        guard let provider else { return }
        if let demand { provider.mayGather(nanoseconds: demand.latencyNanoseconds) }
        let wish = JSONWriter.reply(capacity: 256, continues: true) { writer in
            writer.member("wanted", demand != nil)
            if let demand {
                writer.member("intervalNanoseconds", link.offer?.interval(for: demand.intervalNanoseconds))
                writer.member("latencyNanoseconds", demand.latencyNanoseconds)
            }
            if let refused {
                writer.key("refused")
                writer.value(["count": .integer(Int64(refused.count)), "reason": .string(refused.reason)])
            }
            writer.member("takesMissing", true)
        }
        // Not every change of the demand is one for the program.
        guard wish != sent else { return }
        sent = refused == nil ? wish : []
        provider.send(wish, now: now)
    }

    // MARK: its samples

    /// Takes the samples of a message of the program; an error ends its provision.
    func take(_ message: [UInt8]) throws(FeedFault) {
        // What nobody wants is not even read.
        guard link.demand != nil else { return }
        let call: Call
        do { call = try Call(parsing: message, limits: Limits.pushStructure) } catch { throw .malformed(error) }
        guard call.qualifiedMethod == "io.sensorbroker.Feed.Push" else {
            throw .refused(
                call.qualifiedMethod == "io.sensorbroker.Feed.Provide"
                    ? .alreadyProviding : .methodNotFound(call.qualifiedMethod))
        }
        guard call.mode == .oneway else { throw .refused(.invalidParameter("oneway")) }
        let now = self.now
        do throws(VarlinkError) {
            let samples = try PushedSamples(call.parameters, of: resources, arrived: now)
            take(samples, now)
        } catch { throw .refused(error) }
    }

    private func take(_ samples: PushedSamples, _ now: BootTime) {
        miss(samples.missing, before: min(samples.timestamps.first ?? now, now))
        guard provider?.mayTake(samples.count, now: now) == true else {
            refusals.add(samples.count, "more samples than MaxRate= of its section in the configuration allows")
            return lose(samples)
        }
        var refused = 0
        life.take { intake in
            for index in 0..<samples.count {
                let time = samples.timestamps[index]
                if let reason = check.refusal(of: time, now: now) {
                    refusals.add(1, reason)
                    refused += 1
                    continue
                }
                let scan = samples.scan(at: index)
                if scan.count == 1 { intake.append(scan[0], at: time) } else { intake.append(scan: scan, at: time) }
            }
            if intake.refusedValues > 0 { refusals.add(intake.refusedValues, "impossible values") }
            intake.refuse(refused)
        }
    }

    /// What the program could not send is a gap for clients, if they wanted it.
    private func miss(_ count: Int, before first: BootTime) {
        guard count > 0, let last = check.last, let wantedSince, wantedSince <= last else { return }
        let from = last + 1
        life.take { $0.append(Gap(cause: .deviceOverflow, count: count, from: from, until: max(from, first + -1))) }
    }

    /// Samples that are too many are a gap for clients.
    private func lose(_ samples: PushedSamples) {
        let times = samples.timestamps.filter { check.refusal(of: $0, now: now) == nil }
        guard let first = times.first, let last = times.last else { return }
        life.take { $0.append(Gap(cause: .deviceOverflow, count: times.count, from: first, until: last)) }
    }

    private var now: BootTime { clock() }
}

/// Which times of samples can be true: each later than the one before, and none later than now.
struct SampleTimes {
    /// The newest one that can.
    private(set) var last: BootTime?

    /// Why a time cannot be true; nil: it can, and later ones must be later.
    mutating func refusal(of time: BootTime, now: BootTime) -> String? {
        if time > now { return "its time is in the future of this host's CLOCK_BOOTTIME" }
        if time.nanoseconds < 0 { return "its time is before the start of this host" }
        if let last, time <= last { return "its time is not later than that of the sample before" }
        last = time
        return nil
    }
}

/// What was refused and is still to be reported to the program: at once, and then at most once a second.
struct FeedRefusals {
    private var count = 0
    private var reason: String?
    private var mayReportAt = BootTime(nanoseconds: 0)

    /// When to report it; nil: there is nothing to report.
    var deadline: BootTime? { reason == nil ? nil : mayReportAt }

    mutating func add(_ samples: Int, _ reason: String) {
        count += samples
        self.reason = reason
    }

    mutating func take(now: BootTime) -> (count: Int, reason: String)? {
        guard let reason else { return nil }
        defer { (self.count, self.reason, mayReportAt) = (0, nil, now + Nanoseconds.second) }
        return (count, reason)
    }
}

/// Why a program may not go on to provide.
enum FeedFault: Error {
    /// It sent a message that is no call.
    case malformed(MalformedCall)
    /// It gets this error.
    case refused(VarlinkError)
}
