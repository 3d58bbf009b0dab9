/// The numbers by which a resource finds each client's lane, and the client in it.
///
/// Numbers are counted up, so lanes, and the members of each, stay in the order of their numbers even if others leave.
struct ClientNumbers: Sendable {
    private var numbers: [Client: (lane: Int, member: Int)] = [:]
    /// The number of the last lane or member.
    private var last = 0
    /// How many numbered requests each connection has.
    private var furtherRequests: [ConnectionToken: Int] = [:]

    /// The numbers of a client's lane and of the client in it; nil: it is in none.
    subscript(client: Client) -> (lane: Int, member: Int)? { numbers[client] }

    /// Clients in lanes, each counted once, however many requests it has.
    var clientCount: Int {
        let further = furtherRequests.reduce(0) { $0 + $1.value }
        assert(further <= numbers.count, "a request is counted that is in no lane")
        return numbers.count - further + furtherRequests.keys.count { numbers[.connection($0)] == nil }
    }

    /// A number for a new lane.
    mutating func next() -> Int {
        last += 1
        return last
    }

    /// The number of a client that joins a lane now.
    mutating func add(_ client: Client, toLane lane: Int) -> Int {
        assert(numbers[client] == nil, "a client is in one lane of a resource")
        assert(lane <= last, "a lane has a number that was not given")
        let number = next()
        numbers[client] = (lane, number)
        if case .connection(let token, 1...) = client { furtherRequests[token, default: 0] += 1 }
        return number
    }

    mutating func remove(_ client: Client) {
        numbers[client] = nil
        guard case .connection(let token, 1...) = client, let count = furtherRequests[token] else { return }
        furtherRequests[token] = count > 1 ? count - 1 : nil
    }
}
