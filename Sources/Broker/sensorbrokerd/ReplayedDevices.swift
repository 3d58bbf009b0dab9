internal import Devices
internal import Platform
internal import Programs
internal import Readings
internal import Replay
internal import Service

/// The devices of a recording.
struct ReplayedDevices {
    private let recording: Recording
    private let goesRound: Bool

    /// Reads a recording.
    init(_ file: String, goesRound: Bool) throws(Failure) {
        do throws(RecordingError) {
            recording = try Recording(path: file, decompression: CompressedRecording.decompress)
        } catch {
            throw Failure(.data, "\(file): \(error)")
        }
        self.goesRound = goesRound
    }

    /// The names of the resources.
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
