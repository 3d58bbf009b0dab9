internal import Platform

/// Where a device's pace is set, and what rates it offers: drivers put this into the device, its channels, its buffer
/// or its trigger.
struct RateControl {
    private let attribute: IIOAttribute
    let offered: OfferedRates
    /// Whether it is that of a timer of the kernel, and not of a chip.
    private let isTimer: Bool

    /// The control of the first owner that has one; nil if the device sets its own pace.
    init?(_ owners: [IIOAttribute.Owner]) throws(SystemError) {
        guard let attribute = Self.first("sampling_frequency", of: owners) else { return nil }
        self.attribute = attribute
        // Not always beside the frequency: some drivers list for the device the rates that they set for the channels.
        let list = try Self.first("sampling_frequency_available", of: owners)?.readIfPossible()
        offered = list.flatMap(OfferedRates.init(text:)) ?? .unlisted
        isTimer = false
    }

    /// The control of a timer, which offers only its present rate if other devices share it; nil if it is no timer.
    init?(ofTimer timer: IIODevice, isShared: Bool) throws(SystemError) {
        guard let control = try Self([.device(timer)]) else { return nil }
        attribute = control.attribute
        isTimer = true
        if isShared, let rate = try control.current() { offered = .list([rate]) } else { offered = control.offered }
    }

    private static func first(_ name: String, of owners: [IIOAttribute.Owner]) -> IIOAttribute? {
        owners.lazy.compactMap { IIOAttribute(name, of: $0) }.first
    }

    /// True if it sets the pace of one kind, while other kinds of the device have a pace of their own.
    var isOfOneKind: Bool { attribute.isOfChannel }

    /// The interval of a timer that other devices share; nil: it can be changed.
    var fixedNanoseconds: Int64? {
        if isTimer, case .list(let rates) = offered { rates.first?.intervalNanoseconds } else { nil }
    }

    /// The rate that the chip reports; nil if it is off or the value is unusable.
    func current() throws(SystemError) -> SamplingRate? {
        try attribute.readIfPossible().flatMap { SamplingRate(text: $0) }
    }

    /// Sets a rate and returns what the chip makes of it.
    ///
    /// A device whose rate cannot be set keeps its own pace, and so does a timer whose rate may not be set; a device that
    /// refuses to be set, or refuses for now, throws.
    func set(_ rate: SamplingRate) throws(SystemError) -> SamplingRate? {
        if let current = try current(), current.text == rate.text { return current }
        do { try attribute.write(rate.text) } catch {
            if error.endsContext || error.isBusy || error.isDenied && !isTimer { throw error }
        }
        return try current()
    }

    /// The rate to set for an interval; without one, the current rate, or 10 Hz if the chip is off.
    func choice(for intervalNanoseconds: Int64?) throws(SystemError) -> SamplingRate {
        guard let intervalNanoseconds else { return try current() ?? offered.slowest(satisfying: 100_000_000) }
        let rate = offered.slowest(satisfying: intervalNanoseconds)
        // Timers take whole hertz only.
        return isTimer && offered == .unlisted ? SamplingRate(hertz: rate.hertz.rounded(.up)) ?? rate : rate
    }
}

extension IIOAttribute {
    /// Its text; nil if the driver does not give it and the context can still be used.
    ///
    /// Only for what cannot make values wrong, such as a rate or a label; for anything else there is `readIfThere`.
    func readIfPossible() throws(SystemError) -> String? {
        do { return try read() } catch {
            if error.endsContext { throw error }
            return nil
        }
    }
}
