/// Listens for nobody as long as it lives: so that the newest reading stays new.
final class Lease: Sendable {
    private let tuning: Tuning
    private let id: Int

    init(_ tuning: Tuning) {
        self.tuning = tuning
        id = tuning.listen(SilentSink())
    }

    deinit { tuning.leave(id) }
}
