internal import Programs
internal import Readings
internal import Replay

/// The contents of a recording, counted before it is exported.
struct RecordingSurvey {
    /// What a recording contains of a resource.
    struct Content {
        let resource: RecordingStream.Resource
        var samples = 0
        var gaps = 0

        var name: String { resource.name.description }
    }

    /// The resources, by their numbers.
    private(set) var contents: [Content] = []
    /// Samples of which nobody knows what they measure.
    private(set) var unknownSamples = 0
    /// Lines that a power failure damaged.
    private(set) var damagedLines = 0

    /// Reads a recording.
    init(_ input: RecordingInput, _ progress: Progress) throws(Failure) {
        var stream = RecordingStream()
        var found: [Content] = []
        try input.events(&stream, progress) { event, resources in
            while found.count < resources.count { found.append(Content(resource: resources[found.count])) }
            switch event {
            case .sample(let number, _, _, _): found[number].samples += 1
            case .gap(let number, _, _): found[number].gaps += 1
            case .session, .state, .interval: break
            }
        } after: {
        }
        contents = found
        (unknownSamples, damagedLines) = (stream.unknownSamples, stream.damagedLines)
    }
}
