internal import Glibc
internal import Platform

/// What puts samples into a device's buffer; without it a buffer can be started, or not even that, and stays empty.
enum BufferDrive {
    /// A trigger that is set; nil where libiio does not list it.
    case trigger(IIODevice?)
    /// A trigger of the device's own, which nobody has set yet.
    case unsetTrigger(IIODevice)
    /// The device itself: it has a FIFO, or takes no triggers.
    case device
    /// Nothing.
    case nothing

    init(of device: IIODevice, triggers: [IIODevice]) throws(SystemError) {
        let set: IIODevice?
        do { set = try device.trigger() } catch {
            if error.endsContext { throw error }
            self = error.code == ENXIO ? .trigger(nil) : .device
            return
        }
        if let set {
            self = .trigger(set)
        } else if device.bufferAttributes.contains(where: { $0.hasPrefix("hwfifo_") }) {
            self = .device
        } else if let own = triggers.first(where: { Self.isTrigger($0.name, of: device.name, id: device.id) }) {
            self = .unsetTrigger(own)
        } else {
            self = .nothing
        }
    }

    /// True for the names that drivers give to the data-ready trigger of a device: `NAME-devN` and `NAME-trigger`.
    static func isTrigger(_ trigger: String?, of device: String?, id: String) -> Bool {
        guard let trigger, let device, let number = id.deviceNumber else { return false }
        return trigger == "\(device)-dev\(number)" || trigger == "\(device)-trigger"
    }

    /// The trigger, which may be where the pace is set.
    var triggerDevice: IIODevice? {
        switch self {
        case .trigger(let trigger): trigger
        case .unsetTrigger(let trigger): trigger
        case .device, .nothing: nil
        }
    }
}

extension String {
    /// The number at the end of `iio:device3`.
    var deviceNumber: Int? { Int(suffix(while: { ("0"..."9").contains($0) })) }

    private func suffix(while predicate: (Character) -> Bool) -> String {
        String(reversed().prefix(while: predicate).reversed())
    }
}
