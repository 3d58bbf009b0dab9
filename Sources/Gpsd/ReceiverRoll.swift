/// The receivers that gpsd has, and which of them the broker has not been told of.
///
/// Pure. One receiver is no news, for the best of one is itself. From the second on each is told, once, and stays known
/// even where it goes: a resource that is served stays so.
struct ReceiverRoll: Sendable {
    private var paths: [String] = []
    private var toldCount = 0

    /// gpsd reported.
    mutating func take(_ report: GpsdReport) {
        switch report {
        case .version, .noSuchReceiver: break
        case .fix(_, let path), .sky(_, let path): add(path)
        case .receiver(let receiver): add(receiver.path)
        case .receivers(let receivers):
            if toldCount == 0 { paths = [] }
            for receiver in receivers { add(receiver.path) }
        case .receiverGone(let path): if toldCount == 0 { paths.removeAll { $0 == path } }
        }
    }

    /// The paths that have not been told.
    mutating func takeNews() -> ArraySlice<String> {
        guard paths.count > 1 else { return [] }
        defer { toldCount = paths.count }
        return paths[toldCount...]
    }

    private mutating func add(_ path: String) {
        guard paths.count < Receiver.mostRemembered, Receiver.mayMeasure(path), !paths.contains(path) else { return }
        paths.append(path)
    }
}
