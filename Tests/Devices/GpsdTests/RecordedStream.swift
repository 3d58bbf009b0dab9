import Foundation
import Readings

@testable import Gpsd

/// The output of a gpsd with its times: one line per line of gpsd, after the milliseconds at which it came.
///
/// Played on virtual time through the driver's own path, from bytes to readings.
struct RecordedStream {
    /// gpsd's last TPV for one instant.
    struct Final {
        var utcMicroseconds: Int64
        var report: FixReport
    }

    private var lines: [(arrival: Int64, bytes: [UInt8])] = []

    init(_ url: URL) throws {
        for line in try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let milliseconds = Int64(parts[0]) else { continue }
            lines.append((milliseconds * 1_000_000, Array(parts[1].utf8)))
        }
    }

    /// The readings, each with the instant of its delivery.
    func play() throws -> [(reading: EpochReading, left: BootTime)] {
        var session = try GpsdSession()
        var feed = GpsdFeed()
        var played: [(reading: EpochReading, left: BootTime)] = []
        func take(at instant: BootTime) {
            played += feed.readings.map { ($0, instant) }
            feed.readings.removeAll()
        }
        func run(until end: BootTime) {
            while let deadline = feed.deadline, deadline < end {
                feed.expire(at: deadline)
                take(at: deadline)
                // A deadline that does not move would make the device's thread spin.
                guard feed.deadline != deadline else { return }
            }
        }
        for line in lines {
            let arrival = BootTime(nanoseconds: line.arrival)
            run(until: arrival)
            if let report = session.unpack(line.bytes.span) { feed.take(report, at: arrival) }
            take(at: arrival)
        }
        run(until: BootTime(nanoseconds: .max))
        return played
    }

    /// gpsd's last TPV for each instant, in order.
    func finals() throws -> [Final] {
        var session = try GpsdSession()
        var finals: [Final] = []
        for line in lines {
            guard case .fix(let fix, _)? = session.unpack(line.bytes.span), let time = fix.time?.utcMicroseconds
            else { continue }
            if finals.last?.utcMicroseconds == time { finals.removeLast() }
            finals.append(Final(utcMicroseconds: time, report: fix))
        }
        return finals
    }
}

/// Logs of real receivers, which some machines have beside the package.
enum Recordings {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/data/gps")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

    /// The first sentences of a log.
    static func sentences(_ name: String, atMost count: Int) throws -> [String] {
        let data = try Data(contentsOf: directory.appendingPathComponent(name))
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.filter { $0.hasPrefix("$") }.prefix(count).map { "\($0)\r\n" }
    }
}
