/// Messages of another boot than the present session's, which wait until nothing more of that comes: a backlog of one boot and live
/// messages of the next one would lead from session to session and back.
struct OtherBootMessages<Piece> {
    private var pieces: [Piece] = []
    /// The resources of which something waits: what comes of them waits too.
    private(set) var resources: Set<String> = []
    /// How much waits.
    private(set) var bytes = 0
    private var since: Int64 = 0
    private var written: Int64 = 0
    private let patience: Int64

    /// A session that has no message for so long is over.
    private static var quiet: Int64 { 2_000_000_000 }

    /// A message waits at most so long.
    init(patienceNanoseconds: Int64) { patience = patienceNanoseconds }

    /// A message has to wait.
    mutating func add(_ piece: Piece, of resource: String, bytes: Int, _ now: Int64) {
        if pieces.isEmpty { since = now }
        pieces.append(piece)
        resources.insert(resource)
        assert(bytes >= 0 && (pieces.isEmpty == resources.isEmpty), "what waits is counted")
        self.bytes += bytes
    }

    /// Something of the present session was written.
    mutating func noteWritten(_ now: Int64) { written = now }

    /// Those that have waited long enough: all or none.
    mutating func take(_ now: Int64, isAll: Bool) -> [Piece] {
        guard isAll || now - written >= min(Self.quiet, patience) || now - since >= patience else { return [] }
        defer { (pieces, resources, bytes, written) = ([], [], 0, now) }
        return pieces
    }
}
