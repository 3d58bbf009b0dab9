internal import Devices
internal import Glibc
internal import Platform

/// The devices behind an iiod, and the one buffer that may run there.
final class RemoteContext {
    let description: RemoteDescription
    private let connection: RemoteConnection
    private var buffer: RemoteBuffer?

    private static let mostText = 4096
    /// An iiod that reports sooner that nothing came has not waited.
    private static let leastWaitNanoseconds: Int64 = 100_000_000

    /// Connects and lists the devices.
    init(_ endpoints: [TCPEndpoint]) throws(SystemError) {
        connection = try RemoteConnection(to: endpoints)
        try connection.ask(
            Array("PRINT\r\n".utf8), .text(limit: RemoteDescription.mostBytes),
            within: RemoteConnection.longNanoseconds, for: "ask for devices")
        do throws(MarkupError) { description = try RemoteDescription(connection.payload) } catch {
            throw connection.ended(by: .description(error))
        }
        // The iiod's own time-out: half of the time that a read waits here. An iiod that refuses it keeps its own,
        // which is longer.
        let milliseconds = RemoteConnection.usualNanoseconds / 2_000_000
        do throws(SystemError) {
            try connection.ask(Array("TIMEOUT \(milliseconds)\r\n".utf8), .code, for: "set timeout")
        } catch {
            if error.endsContext { throw error }
        }
    }

    /// The shortest time in which it has answered a request.
    var roundTripNanoseconds: Int64 { connection.roundTripNanoseconds ?? 0 }

    /// An attribute's text as received.
    func read(_ path: String, for purpose: String) throws(SystemError) -> ArraySlice<UInt8> {
        try connection.ask(Array("READ \(path)\r\n".utf8), .text(limit: Self.mostText), for: purpose)
        return connection.payload[...]
    }

    func write(_ text: String, to path: String, for purpose: String) throws(SystemError) {
        // The zero byte at the end is part of it: iiod makes a string of it.
        let bytes = Array(text.utf8) + [0]
        try connection.ask(Array("WRITE \(path) \(bytes.count)\r\n".utf8) + bytes, .code, for: purpose)
    }

    /// The name of the trigger that is set; empty for none.
    func trigger(of device: String) throws(SystemError) -> String {
        let purpose = "get trigger of \(device)"
        try connection.ask(Array("GETTRIG \(device)\r\n".utf8), .text(limit: Self.mostText), for: purpose)
        return printable(String(decoding: connection.payload, as: UTF8.self))
    }

    func setTrigger(_ trigger: String?, of device: String) throws(SystemError) {
        let words = trigger.map { "\(device) \($0)" } ?? device
        try connection.ask(Array("SETTRIG \(words)\r\n".utf8), .code, for: "set trigger of \(device)")
    }

    /// Starts the flow of scans: the numbers of their channels, how many channels each kind has, and perhaps the time.
    func startBuffer(
        of device: RemoteDescription.Device, channels: [Int], groups: [Int], _ sizing: BufferSizing
    ) throws(SystemError) {
        stopBuffer()
        do throws(SystemError) {
            let count = sizing.kernelBuffers
            try connection.ask(Array("SET \(device.id) BUFFERS_COUNT \(count)\r\n".utf8), .code, for: "set buffers")
        } catch {
            // An iiod that refuses the number uses its default: four.
            if error.endsContext { throw error }
        }
        let purpose = "start buffer of \(device.id)"
        guard let buffer = RemoteBuffer(device, channels: channels, groups: groups, samples: sizing.samples) else {
            throw SystemError(purpose, code: EINVAL)
        }
        try open(buffer)
    }

    private func open(_ buffer: RemoteBuffer) throws(SystemError) {
        try connection.ask(
            Array(buffer.opening.utf8), .code, within: RemoteConnection.longNanoseconds,
            for: "start buffer of \(buffer.device.id)")
        self.buffer = buffer
    }

    /// Stops the flow; does nothing if there is none.
    func stopBuffer() {
        guard let running = buffer else { return }
        buffer = nil
        // Whether it is answered or not, nothing more can be done.
        _ = try? connection.ask(Array("CLOSE \(running.device.id)\r\n".utf8), .code, for: "stop buffer")
    }

    /// Waits for one buffer of scans and appends them, oldest first; returns how many, which is 0 after a short silence.
    ///
    /// An iiod that has waited in vain uses its buffer no more. If that has delivered, another takes its place at once: to begin
    /// with a new connection would cost what is measured meanwhile.
    func refill(into scans: inout RawScans) throws(SystemError) -> Int {
        guard var buffer else { throw SystemError("read buffer", code: EBADF) }
        let asked = Clock.monotonicNanoseconds()
        do throws(SystemError) {
            try connection.ask(buffer.request, buffer.shape, for: "read buffer")
        } catch {
            let now = Clock.monotonicNanoseconds()
            guard error.code == ETIMEDOUT, now - asked > Self.leastWaitNanoseconds, buffer.mayBeSilent(at: now) else {
                throw error
            }
            stopBuffer()
            try open(buffer)
            return 0
        }
        let bytes = connection.payload
        guard !bytes.isEmpty else { throw connection.ended(by: .nothing) }
        guard let scan = buffer.scan(with: connection.mask) else { throw connection.ended(by: .mask) }
        buffer.deliveredAt = Clock.monotonicNanoseconds()
        self.buffer = buffer
        // Scans that also hold other clients' channels are longer: the reply may end within one, which is dropped.
        let count = bytes.count / scan.step
        guard count > 0 else { throw connection.ended(by: .nothing) }
        scan.read(bytes, count: count, groups: buffer.groups, into: &scans)
        return count
    }
}

/// A running buffer at an iiod.
private struct RemoteBuffer {
    let device: RemoteDescription.Device
    let opening: String
    let request: [UInt8]
    let shape: ReplyReader.Shape
    /// How many of the channels each kind has.
    let groups: [Int]
    /// When scans last came, on the monotonic clock; nil: it has never delivered.
    var deliveredAt: Int64?
    private let channels: [Int]
    private var known: (digits: [UInt8], scan: RemoteScan)?

    /// nil if the channels cannot be in a scan.
    init?(_ device: RemoteDescription.Device, channels: [Int], groups: [Int], samples: Int) {
        let mask = RemoteScan.mask(of: channels, words: device.maskWords)
        guard let scan = RemoteScan(device, mask: mask, wanted: channels) else { return nil }
        let bytes = scan.step * samples
        self.device = device
        self.channels = channels
        self.groups = groups
        opening = "OPEN \(device.id) \(samples) \(RemoteScan.digits(of: mask))\r\n"
        request = Array("READBUF \(device.id) \(bytes)\r\n".utf8)
        shape = .samples(limit: bytes, maskWords: device.maskWords)
    }

    /// Whether what it has delivered is so new that a silence is no fault of the device.
    func mayBeSilent(at now: Int64) -> Bool {
        deliveredAt.map { now - $0 < Self.longestSilenceNanoseconds } ?? false
    }

    private static let longestSilenceNanoseconds: Int64 = 3_000_000_000

    /// The scan with the channels that a reply names; nil if a wanted one is missing.
    mutating func scan(with digits: [UInt8]) -> RemoteScan? {
        if let known, known.digits == digits { return known.scan }
        let scan = RemoteScan(device, mask: RemoteScan.mask(of: digits), wanted: channels)
        known = scan.map { (digits, $0) }
        return scan
    }
}
