internal import Compression
internal import Devices
internal import Platform
internal import Programs
internal import Readings
internal import Replay
internal import Service

struct ReplayedDevices {
    private let recording: Recording
    private let goesRound: Bool

    init(_ file: String, goesRound: Bool) throws(Failure) {
        do throws(RecordingError) {
            recording = try Recording(path: file, decompression: CompressedRecording.decompress)
        } catch {
            throw Failure(.data, "\(file): \(error)")
        }
        self.goesRound = goesRound
    }

    var names: [ResourceName] { recording.tracks.map(\.name) }

    /// Starts a thread for each track.
    ///
    /// What was not recorded is derived from the accelerometer, as far as it can be.
    func start(for broker: Broker) throws(SystemError) {
        let timeline = ReplayTimeline(of: recording, goesRound: goesRound)
        for (seed, track) in recording.tracks.enumerated() {
            let channel = try DeviceChannel()
            try broker.add(track.name, track.kind, channel, isSimulated: true)
            try DeviceThread.start(
                name: "replay", channel: channel, seed: UInt64(seed), warmGraceNanoseconds: 0
            ) { ReplayDevice(track, on: timeline) }
        }
        try broker.addDerived(now: BootTime(nanoseconds: Clock.bootNanoseconds()))
    }
}

/// A recording compressed by zstd, as `sensorctl record` can write it.
///
/// Here, and not in Replay, since the Swift library's simulation replays recordings too, and its users would need libzstd.
enum CompressedRecording {
    /// Decompresses a file piece by piece; one that was cut off yields what was complete.
    static func decompress(
        _ bytes: [UInt8], _ take: ([UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var pieces = try Pieces(bytes)
        while let piece = try pieces.next() { try take(piece) }
    }

    private struct Pieces: ~Copyable {
        private var decompressor: ZstdDecompressor

        init(_ bytes: [UInt8]) throws(RecordingError) {
            do throws(ZstdError) { decompressor = try ZstdDecompressor() } catch { throw .unreadable("\(error)") }
            decompressor.add(bytes)
        }

        mutating func next() throws(RecordingError) -> [UInt8]? {
            do throws(ZstdError) {
                let piece = try decompressor.take()
                return piece.isEmpty ? nil : piece
            } catch { throw .unreadable("\(error)") }
        }
    }
}
