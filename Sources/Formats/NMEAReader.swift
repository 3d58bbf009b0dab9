internal import Readings

/// A receiver's log: NMEA 0183, one location an epoch.
///
/// Not gpsd's decoder: `gpsdecode` leaves out reports that a running gpsd would send, and is in a package that brings a
/// desktop along; a log needs eight sentences and no device. Sentences with a wrong checksum, other sentences and lines
/// that are none are passed over; whatever stands before a `$` too, so that stamped logs are read as well.
public struct NMEAReader {
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// The locations of a log, a second apart where it does not say otherwise.
    ///
    /// Its clock is a receiver's: where that goes back, or leaps by more than a day, it is taken for the time of day of the
    /// samples, not for the distance between them.
    public static func samples(_ bytes: [UInt8]) throws(FormatError) -> ImportedSamples {
        var epochs: [NMEAEpoch] = []
        var epoch = NMEAEpoch()
        var passed = 0
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) where line.contains(UInt8(ascii: "$")) {
            guard let sentence = NMEASentence(line) else {
                passed += 1
                continue
            }
            if epoch.isEnded(by: sentence) {
                if !epoch.isEmpty { epochs.append(epoch) }
                epoch = NMEAEpoch()
            }
            epoch.take(sentence)
        }
        if !epoch.isEmpty { epochs.append(epoch) }
        guard !epochs.isEmpty else {
            throw FormatError("there is no sentence of a position in it ($..RMC, $..GGA, $..GNS or $..GLL)")
        }
        var samples = placed(epochs)
        if passed > 0 {
            samples.notes.append("\(passed) sentences with a wrong checksum, or of a maker's own, are left out")
        }
        return samples
    }

    private static func placed(_ epochs: [NMEAEpoch]) -> ImportedSamples {
        var samples: [ImportedSamples.Sample] = []
        // Before the first date, that day counts backwards over midnight.
        var day = firstDay(epochs)
        let start = day.flatMap { day in epochs[0].timeOfDay.map { day * dayMicroseconds + $0 } }
        var step: Int64 = 1_000_000_000
        var former: NMEAEpoch?
        var formerDay = day
        for epoch in epochs {
            if let said = epoch.day {
                day = said
            } else if let time = epoch.timeOfDay, let last = former?.timeOfDay, last - time > dayMicroseconds / 2 {
                day = day.map { $0 + 1 }
            }
            if let last = samples.last {
                if let former, let said = distance(former, formerDay, epoch, day) { step = said }
                samples.append((last.offsetNanoseconds + step, .location(epoch.location(onDay: day))))
            } else {
                samples.append((0, .location(epoch.location(onDay: day))))
            }
            (former, formerDay) = (epoch, day)
        }
        return ImportedSamples(samples, utcMicroseconds: start)
    }

    /// Nanoseconds from one epoch to the next one; nil where the receiver does not say, or cannot be right.
    private static func distance(_ first: NMEAEpoch, _ firstDay: Int64?, _ next: NMEAEpoch, _ nextDay: Int64?) -> Int64?
    {
        guard let start = first.timeOfDay, let end = next.timeOfDay else { return nil }
        let days = firstDay.flatMap { firstDay in nextDay.map { $0 - firstDay } } ?? (end < start ? 1 : 0)
        guard (0...1).contains(days) else { return nil }
        let microseconds = end - start + days * dayMicroseconds
        return (1...dayMicroseconds).contains(microseconds) ? microseconds * 1_000 : nil
    }

    private static func firstDay(_ epochs: [NMEAEpoch]) -> Int64? {
        guard let index = epochs.firstIndex(where: { $0.day != nil }), var day = epochs[index].day else { return nil }
        let times = epochs[...index].compactMap(\.timeOfDay)
        for (earlier, later) in zip(times, times.dropFirst()) where earlier - later > dayMicroseconds / 2 { day -= 1 }
        return day
    }
}
