import Devices
import Glibc
import Platform
import Readings

@testable import Gpsd

/// A device thread's loop for a test: waits as the driver asks, reads, and counts.
struct DeviceLoop: ~Copyable {
    var device: GpsdDevice
    private(set) var intake = Intake()
    private(set) var wakeUps = 0
    /// Another descriptor to wait for, and what to do when it is readable.
    var aside: (descriptor: Int32, take: () -> Void)?

    /// A loop for a device.
    ///
    /// The process ignores SIGPIPE, as the daemon does: libgps writes without MSG_NOSIGNAL.
    init(_ device: consuming GpsdDevice) {
        signal(SIGPIPE, SIG_IGN)
        self.device = device
    }

    /// Runs until a condition holds; returns false if that takes longer than the limit.
    mutating func run(
        limitSeconds: Int64 = 300, until done: (borrowing DeviceLoop) -> Bool
    ) throws(DeviceFault) -> Bool {
        let end = Clock.bootNanoseconds() + limitSeconds * 1_000_000_000
        while !done(self) {
            if Clock.bootNanoseconds() > end { return false }
            try turn(limit: end)
        }
        return true
    }

    var samples: [Sample] {
        intake.events.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    var locations: [Location] {
        samples.compactMap { if case .location(let location) = $0.measurement { location } else { nil } }
    }

    var profiles: [DeviceProfile] {
        intake.events.compactMap { if case .profile(let profile) = $0 { profile } else { nil } }
    }

    private mutating func turn(limit: Int64) throws(DeviceFault) {
        guard case .descriptor(let descriptor, let deadline) = device.readiness else { return }
        var wanted = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: aside?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let until = min(deadline?.nanoseconds ?? .max, limit)
        let nanoseconds = max(0, until - Clock.bootNanoseconds())
        unsafe poll(&wanted, 2, Int32(clamping: min(100, (nanoseconds + 999_999) / 1_000_000)))
        if wanted[1].revents != 0 { aside?.take() }
        let due = deadline.map { $0.nanoseconds <= Clock.bootNanoseconds() } ?? false
        guard wanted[0].revents != 0 || due else { return }
        wakeUps += 1
        try device.read(into: &intake)
    }
}
