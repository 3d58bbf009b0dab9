/// One streaming call: a connection that carries one channel of each of some resources.
///
/// A subscription names a resource once. So all distinct requests of a program share one connection, except where two of
/// them are for the same resource: each further one takes another.
struct Stream {
    /// The channels that it is to carry, by resource.
    var channels: [ResourceName: Int] = [:]
    /// Its connection, while it has one.
    var connection: Int?
    /// What the broker calls it, since its first reply.
    var subscription: String?
    /// What it carries, as far as the broker was asked.
    var carried: [ResourceName: SensorRequest] = [:]
    /// The connection of a change that is under way.
    var change: Int?
    /// When it last said anything.
    var heard: BootTime
    /// By when it must speak, since it has been silent for too long.
    var doubtedUntil: BootTime?
    /// When to ask again for what was refused.
    var retry = Retry()

    /// The stream without its connection.
    mutating func reset() {
        connection = nil
        subscription = nil
        carried = [:]
        change = nil
        doubtedUntil = nil
    }
}
