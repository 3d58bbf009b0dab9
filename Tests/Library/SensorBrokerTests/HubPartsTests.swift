import Testing
import Varlink

@testable import SensorBroker

/// The parts of the hub, each on its own.
@Suite struct HubPartsTests {
    private func time(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }

    private func measured(at nanoseconds: Int64) -> Measured {
        Measured(
            resource: .accelerometer, timestamp: time(nanoseconds),
            measurement: .values(Acceleration(x: 0, y: 0, z: 1)))
    }

    private func reader(since: Int64, until: Int64) -> Reader {
        Reader(resource: .accelerometer, since: time(since), deadline: time(until), accuracyMeters: nil)
    }

    @Test("readers are taken away once: by a reading, by their time, by a failure, or by themselves")
    func readers() {
        var readers = Readers()
        for number in 1...4 {
            readers.add(ReaderID(number: number), reader(since: Int64(number * 10), until: Int64(number * 100)))
        }
        #expect(readers.deadline == time(100) && readers.resources == [.accelerometer])
        #expect(readers.offer(measured(at: 15)) == [ReaderID(number: 1)])
        #expect(readers.offer(measured(at: 15)).isEmpty)
        #expect(readers.expire(time(200)).map(\.id) == [ReaderID(number: 2)])
        let isRemoved = readers.remove(ReaderID(number: 3))
        let isRemovedAgain = readers.remove(ReaderID(number: 3))
        #expect(isRemoved && !isRemovedAgain)
        #expect(readers.removeAll(of: .accelerometer) == [ReaderID(number: 4)])
        #expect(readers.resources.isEmpty && readers.deadline == nil)
    }

    @Test("one call asks for what serves all readers, and not for what is known already")
    func call() throws {
        var readers = Readers()
        readers.add(ReaderID(number: 1), reader(since: 20, until: 300))
        readers.add(ReaderID(number: 2), reader(since: 10, until: 200))
        let first = readers.call(for: .accelerometer, newest: nil, now: time(100)).parameters
        #expect(try first.integer("maximumAgeNanoseconds") == 90 && first.integer("timeoutNanoseconds") == 200)
        let second = readers.call(for: .accelerometer, newest: time(50), now: time(100)).parameters
        #expect(try second.integer("maximumAgeNanoseconds") == 49)
    }

    @Test("connections are overdue by their own deadlines, and are removed once")
    func connections() {
        var connections = Connections()
        let (stream, list) = (ConnectionID(number: 1), ConnectionID(number: 2))
        connections.add(stream, for: .stream, answerBy: nil)
        connections.add(list, for: .list(ListerID(number: 3)), answerBy: time(10))
        connections.add(ConnectionID(number: 4), for: .read(.location), answerBy: nil)
        #expect(connections.deadline == time(10) && connections.overdue(time(9)).isEmpty)
        #expect(connections.overdue(time(10)) == [list])
        #expect(connections.reads.map(\.resource) == [.location])
        #expect(connections.first { $0 == .stream } == stream && connections[list] == .list(ListerID(number: 3)))
        let purpose = connections.remove(list)
        let nothing = connections.remove(list)
        #expect(purpose == .list(ListerID(number: 3)) && nothing == nil)
        #expect(connections.deadline == nil && connections.count == 2)
    }

    @Test("a listener is on a channel or has stopped, and nothing is left of one that has ended")
    func listeners() {
        var listeners = Listeners()
        let (passing, lasting) = (ListenerID(number: 1), ListenerID(number: 2))
        listeners.begin(passing, asked: .every(20), isLasting: false)
        listeners.begin(lasting, asked: nil, isLasting: true)
        listeners.put(passing, on: ChannelID(number: 3))
        listeners.put(lasting, on: ChannelID(number: 3))
        #expect(listeners.listeningCount == 2 && listeners.channel(of: passing) == ChannelID(number: 3))
        #expect(!listeners.isWaiting(passing) && listeners.isWaiting(lasting))
        listeners.stop(lasting, Stopped(request: .every(20), error: .cancelled, since: time(1)))
        #expect(
            listeners.channel(of: lasting) == nil && listeners.failures(of: .accelerometer) == [lasting: .cancelled])
        var asked = SensorRequest.every(20)
        asked.waitsForResource = true
        listeners.setAsked(asked, by: passing)
        #expect(listeners.isWaiting(passing))
        #expect(listeners.end(passing)?.asked == asked && listeners.end(passing) == nil)
        #expect(listeners.end(lasting) == nil && listeners.isEmpty)
    }
}
