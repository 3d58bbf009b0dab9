/// One distinct request and all who listen to it: a subscription, as the program sees it.
struct Channel {
    /// What is asked for.
    var request: SensorRequest
    /// The stream that carries it.
    let stream: Int
    /// Who listens.
    var listeners: Set<Int> = []
    /// What was granted.
    var grant: Grant?
    /// When the newest reading was measured; while there is none, when the channel began.
    var covered: BootTime
    /// The broker was away since then.
    var isInterrupted = false
    /// Kept until then for somebody who asks the same again; nil while somebody listens.
    var warmUntil: BootTime?

    /// Nobody listens; it is kept for the next one.
    var isWarm: Bool { listeners.isEmpty }

    /// Whether a reading is young enough to be a newcomer's first: as old as the interval, as the broker itself holds it.
    func isFresh(_ timestamp: BootTime, now: BootTime) -> Bool {
        now - timestamp <= (grant?.interval ?? request.interval ?? .zero).clampedNanoseconds
    }
}
