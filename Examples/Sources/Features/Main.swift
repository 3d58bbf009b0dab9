import Glibc

/// One feature of the library at a time: `features NAME`.
///
/// Each prints what it found, and fails where it found otherwise.
@main struct Main {
    private static let features: [(name: String, run: @Sendable () async throws -> Void)] = [
        ("one-instance", OneInstance.run), ("cheap-managers", CheapManagers.run), ("live-interval", LiveInterval.run),
        ("delegates", Delegates.run), ("one-shot", OneShot.run), ("latest", LatestValue.run),
        ("test-doubles", TestDoubles.run), ("simulated-host", SimulatingHosts.run), ("observation", Observing.run),
        ("lifecycle", Lifecycle.run), ("logging", Logging.run), ("reuse", Reuse.run), ("memory", Memory.run),
        ("motion", Motion.run), ("device-motion", WholeMotion.run),
    ]

    static func main() async {
        let name = CommandLine.arguments.dropFirst().first
        guard let feature = features.first(where: { $0.name == name }) else {
            print("usage: features \(features.map(\.name).joined(separator: " | "))")
            return
        }
        do { try await feature.run() } catch {
            let words = "features: \(error)\n"
            write(STDERR_FILENO, words, words.utf8.count)
            exit(1)
        }
    }
}

/// What was found is not what the library promises.
struct Broken: Error {
    let promise: String
}

func hold(_ promise: String, _ isKept: Bool) throws {
    guard isKept else { throw Broken(promise: promise) }
    print("✓ \(promise)")
}
