internal import Delivery
internal import Readings

/// Checks of each reading, when it is delivered and when it is not.
extension Auditor {
    func check(_ reading: Sample, _ token: Client, _ client: ClientAudit, isTaken: Bool) {
        guard let start = truth.index(of: reading.sequence) else {
            return expect(false, .genuine, "\(reading) is no sample of the device")
        }
        let arrivals = truth.arrivals
        checkTime(reading, token, client)
        expect(start >= client.lastIndex.map { $0 + 1 } ?? 0, .inOrder, "client \(token) got \(reading) again")
        expect(
            start >= client.firstIndex && reading.timestamp.nanoseconds >= client.earliest, .firstReading,
            "client \(token) got \(reading) from before it came")
        var end = start
        if client.grant.filter == .mean {
            let found = MeanReference.end(of: reading, in: arrivals, from: start)
            expect(found != nil, .mean, "client \(token): \(reading) is the mean of nothing")
            if client.isDecimated, let last = client.lastIndex {
                let isWhole = start == last + 1 || MeanReference.restarts(at: start, in: arrivals)
                expect(isWhole, .mean, "client \(token): \(start - last - 1) samples are in no mean")
            }
            end = found ?? start
        } else {
            expect(arrivals[start].sample == reading, .genuine, "\(reading) was \(arrivals[start].sample)")
        }
        let due = arrivals[end]
        // If the period is unknown, a late sample may be taken for the last one before a silence.
        let isBlind = truth.period == 0 && due.at - due.stamp > usualDelay
        let isTrailing = (due.turn != turn || isBlind) && mayTrail(end)
        if client.grant.batchNanoseconds == 0, due.turn != turn {
            expect(isTrailing, .trailing, "client \(token) got \(reading), but the source was not silent")
        }
        if client.isDecimated {
            checkRate(due, end, token, client, isTrailing: isTrailing)
        } else {
            checkChange(reading, end, token, client, isTrailing: isTrailing)
        }
        let instant = isTrailing ? max(due.stamp, now) : due.stamp
        client.take(reading, upTo: end, dueFrom: instant, trailedAt: isTrailing ? now : nil, isTaken: isTaken)
    }

    /// Whatever was requested before, and however it comes: time does not go back in a stream.
    func checkTime(_ reading: Sample, _ token: Client, _ client: ClientAudit) {
        expect(
            reading.timestamp.nanoseconds > client.lastStamp ?? .min, .inOrder,
            "client \(token) got \(reading) after one of \(client.lastStamp ?? 0)")
    }

    /// Nothing followed the sample for so long that the source counts as silent.
    private func mayTrail(_ index: Int) -> Bool {
        let next = index + 1 < truth.arrivals.count ? truth.arrivals[index + 1].at : now
        return next - truth.arrivals[index].at >= 2 * truth.shortestPeriod(since: truth.arrivals[index].at)
    }

    private func checkRate(
        _ due: Truth.Arrival, _ index: Int, _ token: Client, _ client: ClientAudit, isTrailing: Bool
    ) {
        if client.takesAll(truth.period) {
            // A mean that had begun before the client came is not for it.
            let isUnderWay = client.grant.filter == .mean && client.lastIndex == nil
            expect(
                index <= max(client.nextIndex, client.pacedFrom) + (isUnderWay ? 1 : 0), .everySample,
                "client \(token) got \(index), \(client.nextIndex) was next")
            return client.rate.restart()
        }
        let interval = client.grant.intervalNanoseconds
        if index < client.pacedFrom { return client.rate.restart() }
        client.passOver(before: due.stamp)
        let fault = client.rate.take(
            due, isTrailing: isTrailing, interval: interval, period: truth.period, delay: usualDelay)
        expectNone(fault, .exactRate, token)
        if client.isInRhythm(truth.period), client.grant.batchNanoseconds == 0, !isTrailing {
            beats.append(Beat(client: token, interval: interval, index: index))
        }
        client.beat()
    }

    private func checkChange(
        _ reading: Sample, _ index: Int, _ token: Client, _ client: ClientAudit, isTrailing: Bool
    ) {
        guard let handed = client.reference(truth), let change = client.grant.minimumChange else { return }
        let distance = Distance.between(handed, reading)
        expect(
            distance >= change - Distance.tolerance(of: change), .minimumChange,
            "client \(token) got a change of \(distance) of \(change)")
        guard let last = client.lastReading, client.grant.filter == .newest, !client.takesAll(truth.period),
            index >= client.pacedFrom
        else { return }
        let least = last.timestamp.nanoseconds + client.grant.intervalNanoseconds - max(client.slack, truth.period / 2)
        let isEarly =
            !client.isFirstOfOpening
            && (isTrailing || truth.period == 0 ? now : reading.timestamp.nanoseconds) < least
        expect(!isEarly, .minimumChange, "client \(token) got \(reading) too early, due \(least)")
    }

    func checkBatch(_ readings: [Sample], from first: Int, _ token: Client, _ client: ClientAudit) {
        let grant = client.grant
        expect(readings.count <= Grant.readingsPerReply, .batch, "\(readings.count) in a reply")
        guard grant.batchNanoseconds > 0 else {
            return
        }
        let span = readings[readings.count - 1].timestamp - readings[0].timestamp
        expect(span <= grant.batchNanoseconds, .batch, "client \(token): \(span) ns of \(grant.batchNanoseconds)")
    }

    /// None of the undelivered samples was due.
    func checkNothingDue(_ token: Client, _ client: ClientAudit) {
        if let last = truth.arrivals.last, truth.isServing, client.undelivered == truth.arrivals.count - 1 {
            let due = max(client.notBefore, last.at + max(2 * truth.period, 50_000_000) + latency)
            expect(now <= due + timerLateness, .trailing, "client \(token) was not sent \(last), which it had not seen")
        }
        expect(
            client.dueGaps.isEmpty || truth.arrivals.isEmpty || truth.arrivals.last?.followsGap != true, .gapReported,
            "client \(token) was not sent \(client.dueGaps)")
        let takesAll = client.takesAll(truth.period) && client.isDecimated
        let start = max(client.nextIndex, takesAll ? client.pacedFrom : 0)
        guard start < truth.arrivals.count, truth.isServing else { return }
        let batch = client.grant.batchNanoseconds
        let earliest =
            takesAll
            ? Int64.min : client.notBefore + client.grant.intervalNanoseconds + client.slack
        let due = firstDue(from: start, earliest, client)
        if due < truth.arrivals.count {
            let arrival = truth.arrivals[due]
            let isHeldForBatch = batch > 0 && now < max(arrival.at, arrival.stamp + batch) + timerLateness
            let isDue = client.isDecimated || isDueChange(arrival, client)
            expect(!isDue || isHeldForBatch, .fresh, "client \(token) has not got \(arrival) for \(client.grant)")
        }
        checkChangeIsDelivered(token, client, earliest, batch)
        // A mean that includes samples from before the client came is not for the client, nor is its part of later
        // samples.
        guard client.isDecimated, client.grant.filter == .newest || client.lastIndex != nil else { return }
        guard !client.takesAll(truth.period), let last = truth.arrivals.last else { return }
        let patience = max(2 * truth.period, 50_000_000)
        let silent = last.at + patience + latency
        let bound = max(earliest, silent) + batch + truth.period + timerLateness
        expect(now <= bound, .trailing, "client \(token) has not got \(last), though the source is silent")
    }

    /// What a silent source has changed last was delivered as soon as it was due.
    private func checkChangeIsDelivered(_ token: Client, _ client: ClientAudit, _ earliest: Int64, _ batch: Int64) {
        guard let change = client.grant.minimumChange, client.grant.filter == .newest, !client.takesAll(truth.period),
            let got = client.lastReading, got == client.lastHanded, let last = truth.arrivals.last,
            client.nextIndex < truth.arrivals.count, last.stamp >= client.earliest,
            Distance.between(got, last.sample) >= change + Distance.tolerance(of: change)
        else { return }
        let silent = last.at + max(2 * truth.period, 50_000_000) + latency
        let bound = max(earliest, silent) + batch + truth.period + timerLateness
        expect(now <= bound, .trailing, "client \(token) has not got \(last), a change of a source that is silent")
    }

    /// The first sample with which a reading must go to the client.
    ///
    /// A mean that had begun before the client came includes earlier samples and is not for it: the client gets the
    /// next one.
    private func firstDue(from start: Int, _ earliest: Int64, _ client: ClientAudit) -> Int {
        let first = truth.firstIndex(from: start) { $0.stamp >= earliest }
        guard client.grant.filter == .mean, client.lastIndex == nil, first < truth.arrivals.count else { return first }
        let next = truth.arrivals[first].stamp + client.grant.intervalNanoseconds + client.slack
        return truth.firstIndex(from: first + 1) { $0.stamp >= next }
    }

    private func isDueChange(_ arrival: Truth.Arrival, _ client: ClientAudit) -> Bool {
        guard client.grant.filter == .newest, let last = client.lastReading, let change = client.grant.minimumChange
        else { return false }
        return arrival.turn == turn && arrival.sample == truth.arrivals.last?.sample
            && Distance.between(last, arrival.sample) >= change + Distance.tolerance(of: change)
    }
}
