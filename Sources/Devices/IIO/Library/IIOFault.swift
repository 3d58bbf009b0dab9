internal import Devices
internal import Glibc
internal import Platform
internal import Readings

// Turns error codes into words: what happened, to which device, and what to do about it.
//
// Over the network, the answer to a call that timed out stays in the socket, and every later call would get the answer
// to the call before it: silently wrong values. So any error that may have put the connection out of step ends the
// context.

extension SystemError {
    /// True if the context cannot be used any more: the device is gone, or the connection is out of step.
    var endsContext: Bool {
        isBreach || [EPIPE, ETIMEDOUT, ECONNRESET, ENOTCONN, EHOSTDOWN, EBADF, ENODEV, EPROTO].contains(code)
    }

    /// True if the device has no buffer that can be started, or nothing that fills it.
    var meansNoBuffer: Bool { [EINVAL, ENOSYS, ENOENT, EOPNOTSUPP, ENXIO].contains(code) }

    /// True if the attribute, and so the device, no longer exists.
    var isMissing: Bool { [ENOENT, ENXIO].contains(code) }

    /// True if a listed attribute does not exist after all.
    ///
    /// Its file is gone, as libiio and every iiod report it, or its driver does not implement it: what a type of
    /// channels shares is listed for each of them, and a driver's `read_raw` ends with EINVAL for what it does not
    /// know. Not ENXIO: an iiod reports that of a channel, but these are listed, and I²C adapters report it if a chip
    /// did not answer. Not EACCES: the attribute exists, and has a value. Not EIO, though libiio reports that of an
    /// empty file, too: no attribute that decides values has one. Not ENODATA, which no driver returns instead of
    /// EINVAL.
    var meansAbsent: Bool { [ENOENT, EINVAL, ENOSYS, EOPNOTSUPP].contains(code) }

    /// True if this process has no right to do this.
    var isDenied: Bool { [EACCES, EPERM, EROFS].contains(code) }

    /// True if a driver refuses to change its pace while samples flow.
    var isBusy: Bool { code == EBUSY }
}

extension DeviceFault {
    /// The context could not be opened.
    init(noContext error: SystemError, at address: IIOAddress, _ endpoints: [TCPEndpoint]) {
        guard address.isNetwork else {
            let why = error.isMissing ? "the kernel has no IIO devices" : "libiio cannot look: \(error.description)"
            self.init(.missing, "no IIO device at \(address) (\(why))", cause: error)
            return
        }
        if error.isBreach {
            self.init(breach: error, at: address)
            return
        }
        let words =
            switch error.code {
            case ECONNREFUSED: "nobody listens at \(address): start iiod there"
            case ETIMEDOUT: "no iiod answers at \(address): \(TCPEndpoint.cure(ofSilence: endpoints))"
            default: "no iiod answers at \(address): \(error.description)"
            }
        self.init(.missing, words, cause: error)
    }

    /// The program that answers is not an iiod, or breaks its protocol.
    private init(breach error: SystemError, at address: IIOAddress) {
        let cure = "check that an iiod of libiio 0.x listens there"
        self.init(
            .failed, "the program at \(address) does not follow iiod's protocol: \(error.call); \(cure)", cause: error
        )
    }

    /// A sensor of this host is not there; without a title, it has never been there.
    init(absent title: String?, _ unmetChoice: String?, _ kind: Readings.Kind) {
        guard let title else {
            if let unmetChoice, DeviceNode.hasBus {
                self.init(.missing, unmetChoice)
                return
            }
            let why = DeviceNode.hasBus ? "no device has \(kind.attributes)" : "the kernel has no IIO devices"
            let cure = "connect one, load its driver, or name another address"
            self.init(.missing, "no IIO \(kind.row.resource) at local: (\(why)): \(cure)")
            return
        }
        self.init(.missing, "\(title) is not there: connect it again")
    }

    /// A further sensor of this host cannot be served, because the first one is on another host.
    init(elsewhere address: IIOAddress, _ kind: Readings.Kind) {
        self.init(.missing, "this host's \(kind.row.resource)s are not served while --iio, or Context=, is \(address)")
    }

    /// The device is there but does not measure the wanted kind.
    init(_ device: String, at address: IIOAddress, lacks kind: Readings.Kind) {
        let words = "\(device) at \(address) has no \(kind.row.resource) (it lacks \(kind.attributes))"
        self.init(.missing, "\(words): connect one, load its driver, or name another address")
    }

    /// A kind behind an iiod now comes from the device of another kind, but was first served from a device of its own.
    init(_ kind: Readings.Kind, isPartOf other: Readings.Kind, at address: IIOAddress) {
        let words = "the \(kind.row.resource) at \(address) is part of the \(other.row.resource)'s device now"
        self.init(.missing, "\(words): restart sensorbrokerd, which then serves both from that device")
    }

    /// A sensor was unplugged while open.
    init(unplugged title: String) { self.init(.lost, "\(title) was unplugged: connect it again") }

    /// Another program switched off the buffer.
    init(switchedOff device: String, at address: IIOAddress) {
        let users = address.isNetwork ? [] : DeviceUser.suspects(of: device).map(\.words)
        let who = users.isEmpty ? "" : " (probably \(users.joined(separator: " or ")))"
        self.init(.busy, "another program\(who) switched off the buffer of \(device): stop that program")
    }

    /// A call on a device failed.
    init(_ error: SystemError, device: String, at address: IIOAddress) {
        let title = "\(device) at \(address)"
        if error.isBreach {
            self.init(breach: error, at: address)
            return
        }
        switch error.code {
        case EBUSY:
            let who = address.isNetwork ? nil : DeviceUser.holder(of: device)?.words
            self.init(
                .busy, "\(title) is in use: \(who ?? "another program") reads it; stop that program", cause: error)
        case EACCES, EPERM, EROFS:
            self.init(.denied, "may not use \(title): \(error.description); \(Self.cure(error.code))", cause: error)
        case ENODEV, ENOENT, EPIPE, ETIMEDOUT, ECONNRESET, ENOTCONN, EHOSTDOWN, EBADF:
            self.init(.lost, "\(title) went away or fell silent: \(error.description)", cause: error)
        default:
            self.init(.failed, "\(title) failed: \(error.description)", cause: error)
        }
    }

    /// An attribute without which values would be wrong could not be read; `setting` can take its place.
    init(unread error: SystemError, device: String, at address: IIOAddress, setting: String? = nil) {
        let fault = Self(error, device: device, at: address)
        guard fault.kind == .failed, !error.isBreach else {
            self = fault
            return
        }
        let cure = setting ?? "see the kernel's log: no setting takes its place"
        self.init(.failed, "\(fault.description); if that lasts, \(cure)", cause: error)
    }

    /// True for a silence or a failure of the buffer itself.
    ///
    /// A device that is gone or in use shows nothing about the buffer, and neither does an iiod that breaks its
    /// protocol.
    var speaksAgainstBuffer: Bool { kind == .failed && cause?.isBreach != true || cause?.code == ETIMEDOUT }

    private static func cure(_ code: Int32) -> String {
        switch code {
        case EROFS: "its attributes are read-only here: add ReadWritePaths=/sys/devices to the unit"
        case EPERM: "allow the device in the unit: DeviceAllow=char-iio"
        default: "put this user into the group that the udev rule gives the device to"
        }
    }
}
