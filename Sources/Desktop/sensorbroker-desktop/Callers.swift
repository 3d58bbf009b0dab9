/// The programs that have called, each with its user; calls of one whose user is not known yet wait here.
struct Callers {
    private var users: [String: UInt32] = [:]
    private var unidentified: [String: [HeldCall]] = [:]
    /// What those of them had claimed that the process before this one knew.
    private(set) var unrestored = ClaimNotes()

    /// Whether each program's user is known.
    var areIdentified: Bool { unidentified.isEmpty }

    /// The user of a program; nil if that is not known.
    func user(of sender: String) -> UInt32? { users[sender] }

    /// Keeps a call until the program's user is known; whether it is the first one, so that the bus has to be asked.
    mutating func hold(_ call: HeldCall) -> Bool {
        let isFirst = unidentified[call.sender] == nil
        unidentified[call.sender, default: []].append(call)
        return isFirst
    }

    /// Keeps the claims from the process before; the programs of which the bus has to be asked.
    mutating func expect(_ notes: ClaimNotes) -> [String] {
        unrestored = notes
        let senders = notes.claims.keys.filter { unidentified[$0] == nil }
        for sender in senders { unidentified[sender] = [] }
        return senders
    }

    /// The user of a program is known, or nil if it has left: the calls that wait for it, and what it had claimed.
    mutating func identify(_ sender: String, _ user: UInt32?) -> (waiting: [HeldCall], claimed: [DesktopSensor]) {
        if let user { users[sender] = user }
        let waiting = unidentified.removeValue(forKey: sender) ?? []
        return (waiting, unrestored.claims.removeValue(forKey: sender) ?? [])
    }

    /// A program has left; whether it was known.
    mutating func remove(_ sender: String) -> Bool { users.removeValue(forKey: sender) != nil }

    /// Forgets whose programs these are.
    mutating func forgetUsers() { users = [:] }
}
