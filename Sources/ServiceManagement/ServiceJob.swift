internal import CSystemd
internal import Glibc

/// What the service manager is about to do with this service. `org.freedesktop.systemd1(5)`
///
/// A service that gets SIGTERM is not told whether it is to end or to begin anew; who asks over D-Bus is.
public enum ServiceJob: Equatable, Sendable {
    /// It is started anew.
    case restart
    /// It is to end, or nobody has asked the service manager for anything.
    case other
    /// There is no D-Bus, or no answer.
    case unknown

    private static let timeoutMicroseconds: UInt64 = 1_000_000

    /// The job of the unit that this process belongs to. `sd_bus_get_property(3)`
    public static func current() -> Self {
        var bus: OpaquePointer?
        guard unsafe sd_bus_open_system(&bus) >= 0 else { return .unknown }
        defer { unsafe sd_bus_close_unref(bus) }
        _ = unsafe sd_bus_set_method_call_timeout(bus, timeoutMicroseconds)
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
