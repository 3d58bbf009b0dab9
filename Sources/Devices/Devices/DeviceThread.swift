public import Platform

/// Runs a driver on a thread of its own, which may block as long as it likes.
public enum DeviceThread {
    /// Starts a thread that makes a driver and runs it as the channel asks, until it is asked to stop. `pthread_create(3)`
    ///
    /// The driver is made, used and destroyed on that thread, and made again when the channel asks for it. A thread
    /// that hangs in its driver can be abandoned: it holds no lock while it is in there. The seed is for the jitter of
    /// the back-off.
    public static func start<Driver: DeviceDriver & SendableMetatype & ~Copyable>(
        name: String, channel: DeviceChannel, seed: UInt64,
        warmGraceNanoseconds: Int64 = Supervisor.usualWarmGraceNanoseconds,
        make: @escaping @Sendable () -> Driver
    ) throws(SystemError) {
        let supervisor = Supervisor(seed: seed, warmGraceNanoseconds: warmGraceNanoseconds)
        // Here, and not on the thread: virtual time must not pass before the thread has run at all.
        VirtualTime.takePart(true)
        do throws(SystemError) {
            try Thread.start(name: name) {
                defer { VirtualTime.takePart(false) }
                // A sample made by a timer, not by an interrupt, is late by as much as the wait; its way to clients
                // takes less.
                Thread.bePunctual()
                var life = DeviceLife(supervisor: supervisor, channel: channel, make: make)
                life.run()
            }
        } catch {
            VirtualTime.takePart(false)
            throw error
        }
    }
}
