internal import Devices
internal import Platform

/// The line with which a gpsd greets whoever connects.
enum Greeting {
    static let patienceNanoseconds: Int64 = 2_000_000_000

    /// Waits for the greeting and returns the release it names; throws where nothing, or something else, answers.
    static func await(on session: inout GpsdSession, of address: GpsdAddress) throws(DeviceFault) -> String {
        var framing = LineFraming()
        let end = Clock.monotonicNanoseconds() + patienceNanoseconds
        while true {
            let left = end - Clock.monotonicNanoseconds()
            guard left > 0, session.wait(milliseconds: Int32(clamping: left / 1_000_000 + 1)) else {
                throw DeviceFault(
                    .failed, "\(address) answers, but does not greet as gpsd does: see what listens there")
            }
            switch session.receive(into: &framing) {
            case .received, .nothing: break
            case .failed(let cause):
                throw DeviceFault(.lost, "gpsd at \(address) broke the connection (\(cause))", cause: cause)
            case .closed:
                throw DeviceFault(.lost, "gpsd at \(address) closed the connection: it may have too many clients")
            case .overlong:
                throw DeviceFault(.failed, "\(address) does not speak as gpsd does: see what listens there")
            }
            while let report = framing.takeLine({ session.unpack($0) }) {
                if case .version(let release) = report { return release }
            }
        }
    }
}
