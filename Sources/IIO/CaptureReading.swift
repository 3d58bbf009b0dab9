internal import Devices
internal import Readings

// What both ways of reading have in common, handed to whichever it is. An enum of noncopyable payloads is changed by
// taking the payload out and putting it back, on every way out.
extension Capture {
    var readiness: Readiness {
        switch self {
        case .buffered(let capture): capture.readiness
        case .polled(let capture): capture.readiness
        }
    }

    var profile: DeviceProfile {
        switch self {
        case .buffered(let capture): capture.profile
        case .polled(let capture): capture.profile
        }
    }

    var lastStamp: BootTime? {
        switch self {
        case .buffered(let capture): capture.lastStamp
        case .polled(let capture): capture.lastStamp
        }
    }

    /// Which kinds are delivered.
    var kinds: KindSet {
        switch self {
        case .buffered(let capture): capture.kinds
        case .polled(let capture): capture.kinds
        }
    }

    /// Whether the buffer has delivered a sample in this opening; nil where the device is polled.
    var bufferDelivered: Bool? {
        switch self {
        case .buffered(let capture): capture.hasDelivered
        case .polled: nil
        }
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        switch consume self {
        case .buffered(var capture):
            do throws(DeviceFault) { try capture.read(into: &intake) } catch {
                self = .buffered(capture)
                throw error
            }
            self = .buffered(capture)
        case .polled(var capture):
            do throws(DeviceFault) { try capture.read(into: &intake) } catch {
                self = .polled(capture)
                throw error
            }
            self = .polled(capture)
        }
    }

    /// Changes the pace, and which kinds are delivered; false where the device has to be opened anew for that.
    mutating func adjust(to demand: Demand) throws(DeviceFault) -> Bool {
        switch consume self {
        case .buffered(var capture):
            let adjusted: Bool
            do throws(DeviceFault) { adjusted = try capture.adjust(to: demand) } catch {
                self = .buffered(capture)
                throw error
            }
            self = .buffered(capture)
            return adjusted
        case .polled(var capture):
            let adjusted: Bool
            do throws(DeviceFault) { adjusted = try capture.adjust(to: demand) } catch {
                self = .polled(capture)
                throw error
            }
            self = .polled(capture)
            return adjusted
        }
    }
}
