import Glibc
import SensorBroker

/// A thousand managers of a thousand intervals: what they get, and what the process takes for it. `thousand-intervals [SECONDS]`
@main struct ThousandIntervals {
    static func main() async throws {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
        print("before: \(try Process())")
        // From 20 to 1,019 ms.
        let managers = (20..<1_020).map { Accelerometer(updateInterval: .milliseconds($0)) }
        print("a thousand managers: \(try Process())")
        let results = try await withThrowingTaskGroup { group in
            for manager in managers { group.addTask { try await Result(of: manager, for: .seconds(seconds)) } }
            try await Task.sleep(for: .seconds(seconds) / 2)
            print("a thousand streams: \(try Process()), \(Broker.shared.usage.connections) connection")
            var results: [Result] = []
            for try await result in group { results.append(result) }
            return results
        }
        print("\(results.reduce(0) { $0 + $1.readings }) readings in \(Process.processorTime) of the processor")
        print("largest error of a mean interval: \(results.map(\.error).max() ?? .zero)")
    }
}

/// What a manager got in some time.
private struct Result {
    var readings = 0
    /// How far the mean interval is from the one asked for.
    var error = Duration.zero

    init(of manager: Accelerometer, for duration: Duration) async throws {
        guard let interval = manager.updateInterval else { return }
        var first: BootTime?
        for try await reading in manager.readings {
            readings += 1
            // The very first may be one that was there already.
            guard readings > 1 else { continue }
            let begin = first ?? reading.timestamp
            first = begin
            let span = begin.duration(to: reading.timestamp)
            guard span >= duration, readings > 2 else { continue }
            let mean = span / (readings - 2)
            error = max(interval - mean, mean - interval)
            return
        }
    }
}

/// What the kernel says of this process.
private struct Process: CustomStringConvertible {
    let residentKilobytes: Int
    let privateKilobytes: Int
    let threads: Int

    /// Reads `/proc/self/status` and `/proc/self/smaps_rollup`.
    init() throws {
        let status = try Self.fields("/proc/self/status")
        let memory = try Self.fields("/proc/self/smaps_rollup")
        residentKilobytes = status["VmRSS"] ?? 0
        privateKilobytes = memory["Private_Dirty"] ?? 0
        threads = status["Threads"] ?? 0
    }

    /// What it has taken so far, in user mode and in the kernel. `clock_gettime(2)`
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    var description: String {
        "\(residentKilobytes) KiB resident, \(privateKilobytes) KiB of them private, \(threads) threads"
    }

    private struct Unreadable: Error {}

    private static func fields(_ path: String) throws -> [String: Int] {
        guard let file = fopen(path, "r") else { throw Unreadable() }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        var fields: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { " :\t".contains($0) }
            if words.count > 1, let number = Int(words[1]) { fields[String(words[0])] = number }
        }
        return fields
    }
}
