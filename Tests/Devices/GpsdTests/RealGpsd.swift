import ChildPrograms
import Foundation
import Glibc

/// The distribution's gpsd, started for one test on a port of its own.
final class RealGpsd {
    struct Missing: Error, CustomStringConvertible {
        var description: String { "\(RealGpsd.program) is not there, and these tests need it: apt-get install gpsd" }
    }

    static let program = "/usr/sbin/gpsd"

    let port: UInt16
    private let process: ChildProgram
    private let control = FileManager.default.temporaryDirectory.appendingPathComponent(
        "gpsd-\(UUID().uuidString).sock")

    /// gpsd, which listens, reading a terminal: bytes written to its other end are the receiver's output.
    init(terminal: String) throws {
        port = try Loopback.freePort()
        guard unsafe access(Self.program, X_OK) == 0 else { throw Missing() }
        process = try ChildProgram(
            [Self.program, "-N", "-n", "-b", "-S", "\(port)", "-F", control.path, terminal],
            environment: ["GPSD_SHM_KEY": "0x4771\(String(port, radix: 16))"], errors: nil)
        let end = Date(timeIntervalSinceNow: 300)
        while true {
            do {
                close(try Loopback.connect(port: port))
                return
            } catch  where Date() < end {
                usleep(20_000)
            }
        }
    }

    deinit {
        stop()
        let end = Date(timeIntervalSinceNow: 60)
        while process.isRunning, Date() < end { usleep(20_000) }
        process.kill()
        try? FileManager.default.removeItem(at: control)
    }

    /// Asks it to end.
    func stop() { process.terminate() }
}
