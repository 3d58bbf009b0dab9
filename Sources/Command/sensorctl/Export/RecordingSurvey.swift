internal import Formats
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
    let contents: [Content]
    /// What cannot be read of it.
    let unreadable: ConversionNotes

    init(_ input: RecordingInput, _ progress: Progress) throws(Failure) {
        var found: [Content] = []
        unreadable = try input.events(progress) { event, resources in
            while found.count < resources.count { found.append(Content(resource: resources[found.count])) }
            switch event {
            case .sample(let number, _, _, _): found[number].samples += 1
            case .gap(let number, _, _): found[number].gaps += 1
            case .session, .state, .interval: break
            }
        }
        contents = found
    }
}
