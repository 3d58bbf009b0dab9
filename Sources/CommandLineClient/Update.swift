internal import Varlink

/// One reply of a running Subscribe.
struct Update: Equatable {
    let subscription: String?
    let revision: Int64?
    let grants: [Grant]
    let resources: [Resource]
    let gaps: [Gap]
    let readings: [Reading]
    let ended: String?

    init(_ parameters: Parameters) throws(VarlinkError) {
        subscription = try parameters.optionalString("subscription")
        revision = try parameters.optionalInteger("revision")
        grants = try Grant.all(parameters.optionalObjects("grants") ?? [])
        resources = try Resource.all(parameters.optionalObjects("resources") ?? [])
        gaps = try Gap.all(parameters.optionalObjects("gaps") ?? [])
        readings = try Reading.all(parameters.optionalObjects("readings") ?? [])
        ended = try parameters.optionalString("ended")
    }

    /// What it tells beside readings, in the order in which it is to be read.
    var events: [StreamEvent] {
        let subscription = subscription.map { [StreamEvent.subscription($0)] } ?? []
        let grants = grants.map { StreamEvent.grant($0, revision: revision) }
        let ended = ended.map { [StreamEvent.ended($0)] } ?? []
        return subscription + grants + resources.map { .resource($0) } + gaps.map { .gap($0) } + ended
    }
}
