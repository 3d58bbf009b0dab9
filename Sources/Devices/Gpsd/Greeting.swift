internal import Devices
internal import Platform

/// What gpsd sends to a new client: its release at once, and its receivers on request.
struct Greeting {
    /// gpsd's release.
    var release: String
    /// The receivers that gpsd has; nil if it did not report them.
    var receivers: [Receiver]?

    static let patienceNanoseconds: Int64 = 2_000_000_000
    /// gpsd answers with the list at once, so a longer wait is useless.
    static let receiversPatienceNanoseconds: Int64 = 500_000_000

    /// Waits for both; throws if nothing, or something else, answers.
    static func await(
        on session: inout GpsdSession, of address: GpsdAddress, withinNanoseconds patience: Int64 = patienceNanoseconds
    ) throws(DeviceFault) -> Greeting {
        var framing = LineFraming()
        let release = try next(on: &session, &framing, of: address, patience) {
            if case .version(let release) = $0 { release } else { nil }
        }
        guard session.askReceivers() else { return Greeting(release: release) }
        // A peer that greeted is a gpsd, even if the list does not arrive.
        let receivers = try? next(on: &session, &framing, of: address, receiversPatienceNanoseconds) {
            if case .receivers(let receivers) = $0 { receivers } else { nil }
        }
        return Greeting(release: release, receivers: receivers)
    }

    private static func next<Answer>(
        on session: inout GpsdSession, _ framing: inout LineFraming, of address: GpsdAddress, _ patience: Int64,
        _ answer: (GpsdReport) -> Answer?
    ) throws(DeviceFault) -> Answer {
        let end = Clock.monotonicNanoseconds() + patience
        var (isSilent, isOver) = (true, false)
        while true {
            while let report = framing.takeLine({ session.unpack($0) }) {
                if let report, let answer = answer(report) { return answer }
            }
            let left = max(0, end - Clock.monotonicNanoseconds())
            guard !isOver, session.wait(milliseconds: Int32(clamping: (left + 999_999) / 1_000_000)) else {
                throw DeviceFault(
                    .failed,
                    isSilent
                        ? "\(address) accepts connections, but gpsd's greeting does not come: restart gpsd"
                        : "\(address) answers, but not with gpsd's greeting: check which program listens there")
            }
            // Once more when time is up: a thread that was not run meanwhile finds what has come.
            isOver = left == 0
            switch session.receive(into: &framing) {
            case .received: isSilent = false
            case .nothing: break
            case .failed(let cause):
                throw DeviceFault(.lost, "gpsd at \(address) broke the connection (\(cause))", cause: cause)
            case .closed:
                throw DeviceFault(.lost, "gpsd at \(address) closed the connection: it may have too many clients")
            case .overlong:
                throw DeviceFault(
                    .failed, "\(address) does not speak gpsd's protocol: check which program listens there")
            }
        }
    }
}
