import Foundation
import Glibc

/// A second client of the same gpsd, which reads its JSON directly; the driver is compared with it.
final class RawWatcher {
    /// A TPV, by gpsd's names.
    struct TPV {
        var time: String?
        var mode: Int
        var values: [String: Double]
    }

    let descriptor: Int32
    private(set) var tpvs: [TPV] = []
    private(set) var ended = false
    private(set) var watching = false
    private var bytes: [UInt8] = []
    private var lastBytes = Date()

    /// Connects, and asks for everything.
    init(port: UInt16) throws {
        descriptor = try Loopback.connect(port: port)
        let request = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
        _ = unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(descriptor) }

    /// The last TPV of each time, in order.
    var finals: [TPV] {
        var finals: [TPV] = []
        for tpv in tpvs where tpv.time != nil {
            if finals.last?.time == tpv.time { finals.removeLast() }
            finals.append(tpv)
        }
        return finals
    }

    /// Whether nothing has come for this long.
    func isSilent(seconds: Double) -> Bool { -lastBytes.timeIntervalSinceNow > seconds }

    /// Reads what has arrived.
    func take() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count == 0 || (count < 0 && errno != EAGAIN) { ended = true }
        if count > 0 { lastBytes = Date() }
        bytes += chunk.prefix(max(0, count))
        while let end = bytes.firstIndex(of: 10) {
            note(Data(bytes[..<end]))
            bytes.removeFirst(end + 1)
        }
    }

    private func note(_ line: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return }
        if object["class"] as? String == "WATCH" { watching = true }
        guard object["class"] as? String == "TPV", let mode = object["mode"] as? Int else { return }
        let values = object.compactMapValues { ($0 as? NSNumber)?.doubleValue }
        tpvs.append(TPV(time: object["time"] as? String, mode: mode, values: values))
    }
}
