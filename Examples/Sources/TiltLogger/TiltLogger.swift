import Glibc
import SensorBroker

/// Logs how the host is tilted, as CSV: `tilt-logger [COUNT]`.
///
/// What is missing becomes a comment, so that nobody takes
/// the log for complete.
@main struct TiltLogger {
    static func main() async {
        do { try await log() } catch {
            let words = "tilt-logger: \(error)\n"
            write(STDERR_FILENO, words, words.utf8.count)
            exit(1)
        }
    }

    private static func log() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        let accelerometer = Accelerometer(updateInterval: .milliseconds(100))
        accelerometer.mutateRequest { $0.filter = .mean }
        print("nanoseconds,pitchDegrees,rollDegrees")
        var logged = 0
        for try await event in accelerometer.events {
            switch event {
            case .reading(let reading):
                print("\(reading.timestamp.nanoseconds),\(pitch(reading.value)),\(roll(reading.value))")
                logged += 1
            case .gap(let gap): print("# \(gap.count.map { "\($0)" } ?? "some") missing: \(gap.cause)")
            case .state(let state): print("# the accelerometer is \(state.name)")
            case .disconnected(let error), .refused(let error): print("# \(error)")
            case .grant: break
            @unknown default: print("# \(event)")
            }
            if logged == count { return }
        }
    }

    private static func pitch(_ value: Acceleration) -> Double {
        atan2(-value.x, (value.y * value.y + value.z * value.z).squareRoot()) * 180 / .pi
    }

    private static func roll(_ value: Acceleration) -> Double { atan2(value.y, value.z) * 180 / .pi }
}
