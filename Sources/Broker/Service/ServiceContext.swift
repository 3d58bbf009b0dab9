internal import Platform

/// What every part of the broker may use: what is served, the loop and its clients, and where things are recorded.
struct ServiceContext {
    /// The resources, and what clients may have of them.
    let catalog = Catalog()
    let server: Server
    let journal: Journal
    /// When to record what a successor would need if this process died.
    let checkpoint = Checkpoint()

    init(_ server: Server, _ journal: Journal) {
        self.server = server
        self.journal = journal
    }

    var clients: Clients { server.clients }
}
