internal import Delivery

/// The streams that there are, by the connections that carry them.
final class StreamTable {
    private var streams: [ConnectionToken: Subscription] = [:]

    var isEmpty: Bool { streams.isEmpty }

    var tokens: [ConnectionToken] { Array(streams.keys) }

    var all: [Subscription] { Array(streams.values) }

    subscript(connection: ConnectionToken) -> Subscription? { streams[connection] }

    func stream(named id: StreamID) -> Subscription? { streams.values.first { $0.id == id } }

    func insert(_ stream: Subscription) {
        assert(streams[stream.connection.token] == nil, "a connection carries one stream")
        assert(self.stream(named: stream.id) == nil, "a stream has a name of its own")
        streams[stream.connection.token] = stream
    }

    func remove(_ stream: Subscription) {
        assert(streams[stream.connection.token] === stream, "the stream has ended already")
        streams[stream.connection.token] = nil
    }
}
