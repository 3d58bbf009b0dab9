extension Broker {
    /// Readings of several sensors at one time: those of the first, each with what the others measured at its time.
    ///
    ///     for try await motion in broker.aligned(Acceleration.self, AngularVelocity.self, every: .milliseconds(10)) {
    ///         let (acceleration, rotation) = motion.value
    ///     }
    ///
    /// The others' values are measured at that very time, or lie between their measurements before and after it, never beyond them. One
    /// is nil where nothing is known of it: before its first measurement, across a gap, or when it is late. A reading waits for
    /// the others, so it is as late as the slowest of them. All is one subscription. States and grants are those of the first sensor;
    /// gaps are those of all (``/SensorServices/SensorReadings/events``).
    ///
    /// Kinds between whose values there is nothing, such as an orientation, cannot be aligned: the stream ends with
    /// ``/SensorServices/SensorError/invalidRequest(_:)``. Nil as the interval means the first resource's default.
    public func aligned<First: Measurable, each Other: Measurable>(
        _ first: First.Type, _ other: repeat (each Other).Type, every interval: Duration? = nil
    ) -> SensorReadings<(First, repeat (each Other)?)> {
        var request = SensorRequest(First.firstResource)
        request.interval = interval
        for type in repeat each other { request.companions.append(type.firstResource) }
        let tuning = Tuning(session, request)
        typealias Value = (First, repeat (each Other)?)
        return SensorReadings(
            SensorEvents {
                let mailbox = Mailbox(EventBuffer<Value>(capacity: SensorEvents<Value>.capacity))
                let sink = MailboxSink(mailbox) { measured in
                    guard let first = First(measured.measurement) else { return .wrongKind }
                    var companions = measured.companions[...]
                    func next<Next: Measurable>(_ type: Next.Type) -> Next? {
                        (companions.popFirst() ?? nil).flatMap { Next($0) }
                    }
                    let value = (first, repeat next((each Other).self))
                    return .reading(
                        Reading(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence))
                }
                let id = tuning.listen(sink)
                return EventSource(mailbox) { tuning.leave(id) }
            })
    }
}
