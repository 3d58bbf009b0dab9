public import Readings

extension [DeviceEvent] {
    /// The same events, with samples of one kind that follow one another as runs: what a driver hands over that reads many at once.
    public var joined: [DeviceEvent] {
        var events: [DeviceEvent] = []
        for event in self {
            guard case .sample(let sample) = event, case .values(let values) = sample.measurement else {
                events.append(event)
                continue
            }
            if case .run(var run) = events.last, run.kind == values.kind,
                run.firstSequence + UInt64(run.count) == sample.sequence
            {
                run.append(values, at: sample.timestamp)
                events[events.count - 1] = .run(run)
            } else {
                var run = SampleRun(of: values.kind, from: sample.sequence)
                run.append(values, at: sample.timestamp)
                events.append(.run(run))
            }
        }
        return events
    }
}
