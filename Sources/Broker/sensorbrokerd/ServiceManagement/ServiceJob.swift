internal import CSystemd
internal import Glibc
internal import Platform

/// What the service manager is doing with this service. `org.freedesktop.systemd1(5)`
///
/// SIGTERM does not show a service whether it will be restarted; D-Bus does.
enum ServiceJob {
    /// Whether the service stops and no process follows; false as well if that cannot be learned in time.
    ///
    /// The call is made on a thread of its own, because a hanging bus can block longer than any timeout of a call.
    /// `sd_bus_get_property(3)`
    static func isLast(waitingNanoseconds: Int64) -> Bool {
        guard let answers = try? WakeQueue<Bool>(), (try? Thread.start(name: "job", { answers.put(ask()) })) != nil
        else { return false }
        _ = Wait.untilReadable(answers.wakeDescriptor, nanoseconds: waitingNanoseconds)
        return answers.take().last ?? false
    }

    /// Whether there is no job, or one that is no restart.
    private static func ask() -> Bool {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0 else { return false }
        defer { unsafe sd_bus_close_unref(bus) }
        var reply: OpaquePointer?
        defer { unsafe sd_bus_message_unref(reply) }
        var job: UnsafePointer<CChar>?
        guard unsafe csystemd_get_job(bus, "/org/freedesktop/systemd1/unit/self", &reply, &job) >= 0,
            let job = unsafe job
        else { return false }
        guard unsafe String(cString: job) != "/" else { return true }
        var type: UnsafeMutablePointer<CChar>?
        defer { unsafe free(type) }
        guard
            unsafe sd_bus_get_property_string(
                bus, "org.freedesktop.systemd1", job, "org.freedesktop.systemd1.Job", "JobType", nil, &type) >= 0,
            let type = unsafe type
        else { return false }
        return unsafe String(cString: type) != "restart"
    }
}
