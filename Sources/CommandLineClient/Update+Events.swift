internal import BrokerClient

extension Update {
    /// What it tells beside readings, in the order in which it is to be read.
    var events: [StreamEvent] {
        let subscription = subscription.map { [StreamEvent.subscription($0)] } ?? []
        let grants = grants.map { StreamEvent.grant($0, revision: revision) }
        let ended = ended.map { [StreamEvent.ended($0)] } ?? []
        return subscription + grants + resources.map { .resource($0) } + gaps.map { .gap($0) } + ended
    }
}
