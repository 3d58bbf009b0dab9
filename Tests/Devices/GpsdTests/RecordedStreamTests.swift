import Foundation
import Readings
import Testing

@testable import Gpsd

/// Output that a real gpsd made for receivers, on virtual time: each epoch is one reading, with the values of gpsd's
/// last TPV.
///
/// The project's own streams come from its generator. GPSD_STREAMS may name a folder with more.
@Suite struct RecordedStreamTests {
    static let streams: [URL] = {
        let own = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Recordings")
        let more = ProcessInfo.processInfo.environment["GPSD_STREAMS"].map { URL(fileURLWithPath: $0) }
        return [own, more].compactMap { $0 }.flatMap { folder in
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        }
        .sorted { $0.path < $1.path }
    }()

    @Test("the project's own recordings exist") func present() { #expect(Self.streams.count >= 3) }

    @Test("each epoch is one reading, with gpsd's last values", arguments: streams)
    func epochs(_ url: URL) throws {
        let stream = try RecordedStream(url)
        let finals = try stream.finals()
        let readings = try stream.play().map(\.reading.location).filter { $0.utcMicroseconds != nil }
        #expect(!finals.isEmpty)
        #expect(readings.map(\.utcMicroseconds) == finals.map(\.utcMicroseconds))
        for (reading, final) in zip(readings, finals) {
            let sent = FixValidation.location(of: final.report).limitedToFix()
            #expect(reading.fix == sent.fix)
            // A value that the last report lacks may come from an earlier one.
            for field in Self.fields where sent[keyPath: field] != nil {
                #expect(reading[keyPath: field] == sent[keyPath: field])
            }
        }
    }

    private static var fields: [KeyPath<Location, Double?>] {
        [
            \.latitudeDegrees, \.longitudeDegrees, \.altitudeMeters, \.ellipsoidHeightMeters, \.horizontalErrorMeters,
            \.verticalErrorMeters, \.speedMetersPerSecond, \.trackDegrees, \.climbMetersPerSecond,
        ]
    }
}
