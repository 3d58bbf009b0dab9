internal import CSystemd
internal import Glibc
internal import Platform
internal import Synchronization

/// What the service manager is about to do with this service. `org.freedesktop.systemd1(5)`
///
/// A service that gets SIGTERM is not told whether it is to end or to begin anew; who asks over D-Bus is.
enum ServiceJob: Equatable, Sendable {
    /// It is started anew.
    case restart
    /// It is to end, or nobody has asked the service manager for anything.
    case other
    /// There is no D-Bus, or no answer in time.
    case unknown

    /// What the thread that asks leaves for the one that waits.
    private final class Answer: Sendable {
        let job = Mutex(ServiceJob.unknown)
        let bell: WakeEvent
        init() throws(SystemError) { bell = try WakeEvent() }
    }

    /// The job of the unit that this process belongs to; asked on a thread of its own, since a bus that hangs has its caller
    /// wait for longer than any call may take. `sd_bus_get_property(3)`
    static func current(waitingNanoseconds: Int64) -> Self {
        guard let answer = try? Answer(),
            (try? Thread.start(
                name: "job",
                {
                    let job = ask()
                    answer.job.withLock { $0 = job }
                    answer.bell.ring()
                })) != nil
        else { return .unknown }
        _ = Wait.untilReadable(answer.bell.descriptor, nanoseconds: waitingNanoseconds)
        return answer.job.withLock { $0 }
    }

    private static func ask() -> Self {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0 else { return .unknown }
        defer { unsafe sd_bus_close_unref(bus) }
        var reply: OpaquePointer?
        defer { unsafe sd_bus_message_unref(reply) }
        var job: UnsafePointer<CChar>?
        guard unsafe csystemd_get_job(bus, "/org/freedesktop/systemd1/unit/self", &reply, &job) >= 0,
            let job = unsafe job
        else { return .unknown }
        guard unsafe String(cString: job) != "/" else { return .other }
        var type: UnsafeMutablePointer<CChar>?
        defer { unsafe free(type) }
        guard
            unsafe sd_bus_get_property_string(
                bus, "org.freedesktop.systemd1", job, "org.freedesktop.systemd1.Job", "JobType", nil, &type) >= 0,
            let type = unsafe type
        else { return .unknown }
        return unsafe String(cString: type) == "restart" ? .restart : .other
    }
}
