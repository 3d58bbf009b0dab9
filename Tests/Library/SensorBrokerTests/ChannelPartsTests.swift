import Testing
import Varlink

@testable import SensorBroker

/// The parts of the hub that deal with channels and the stream, each on its own.
@Suite struct ChannelPartsTests {
    private func time(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }

    @Test("a channel is found by name, tag, request and resource until it is removed, and again after a change")
    func channels() throws {
        var channels = Channels()
        let (first, second) = (channels.add(.every(20), since: time(0)), channels.add(.every(30), since: time(0)))
        let listener = ListenerID(number: 9)
        #expect(channels.ids == [first, second] && channels.ids(of: .accelerometer) == [first, second])
        let tags = [first, second].compactMap { channels[$0]?.tag }
        #expect(tags.map(\.label) == [nil, "\(second)"] && channels.unsettled == Set(tags))
        #expect(tags.map { channels.id(of: $0) } == [first, second])
        #expect(channels.id(of: .every(20)) == first && channels.warm == [first, second])
        channels.join(listener, first)
        channels.setRequest(.every(40), of: first)
        #expect(channels.id(of: .every(20)) == nil && channels.id(of: .every(40)) == first)
        #expect(channels.warm == [second])
        channels.leave(listener, first, asked: .every(20))
        #expect(channels.warm == [first, second] && channels[first]?.lastAsked == .every(20))
        channels.settle(Set(tags))
        channels.remove(first)
        #expect(channels.id(of: .every(40)) == nil && channels.id(of: tags[0]) == nil && channels.count == 1)
        #expect(channels.unsettled == [tags[0]] && channels.warm == [second])
        channels.unsettleAll()
        #expect(channels.unsettled == [tags[1]], "a new stream has nothing to remove")
        channels.remove(second)
        #expect(channels.isEmpty && !channels.has(.accelerometer))
    }

    @Test("of two channels that come to have the same request, one is found by it, and the other may go")
    func sameRequest() {
        var channels = Channels()
        let (first, second) = (channels.add(.every(20), since: time(0)), channels.add(.every(30), since: time(0)))
        channels.setRequest(.every(20), of: second)
        #expect(channels.id(of: .every(20)) == first && channels.id(of: .every(30)) == nil)
        channels.remove(second)
        #expect(channels.id(of: .every(20)) == first)
    }

    @Test("requests for a resource wait until it is there, or until nobody wants it")
    func awaited() {
        var channels = Channels()
        let id = channels.add(.every(20), since: time(0))
        channels.settle(channels.unsettled)
        channels.await(.accelerometer)
        channels.resume([.location])
        #expect(channels.awaited == [.accelerometer] && channels.unsettled.isEmpty)
        channels.resume([.accelerometer, .location])
        #expect(channels.awaited.isEmpty && channels.unsettled.count == 1)
        channels.await(.accelerometer)
        channels.remove(id)
        #expect(channels.awaited.isEmpty)
    }

    @Test("a call has what has to be changed, no more than fits, and nothing that waits")
    func change() {
        var channels = Channels()
        for number in 0..<30 { _ = channels.add(.every(20 + number), since: time(0)) }
        let gone = SensorBroker.Tag(resource: .accelerometer, label: "gone")
        let carried: [SensorBroker.Tag: SensorRequest] = [
            channels[channels.ids[0]]?.tag ?? gone: .every(20), gone: .every(7),
        ]
        let all = [gone] + channels.tags
        let some = Change.next(among: all, channels, carried: carried, most: 3) { _ in false }
        #expect(Set(some.change.requests.values) == [.every(21), .every(22), .every(23)])
        #expect(some.change.removed == [gone] && some.settled.count == 1)
        let most = Change.next(among: all, channels, carried: [:], most: .max) { _ in false }
        #expect(most.change.requests.count == 23, "200 keys in a call")
        let held = Change.next(among: all, channels, carried: carried, most: .max) { _ in true }
        #expect(held.change.requests.isEmpty && held.settled.count == 30)
    }

    @Test("a silent stream becomes suspect, and is given up if it then sends nothing")
    func signsOfLife() {
        var signs = SignsOfLife()
        signs.begin(time(0))
        #expect(signs.deadline == time(SignsOfLife.silenceNanoseconds))
        let suspect = signs.deadline
        let atOnce = signs.areMissing(suspect)
        #expect(!atOnce && signs.deadline == suspect + SignsOfLife.doubtNanoseconds)
        let (early, late) = (signs.areMissing(suspect + 1), signs.areMissing(signs.deadline))
        #expect(!early && late)
        signs.didReceive(suspect)
        let later = signs.areMissing(suspect + 1)
        #expect(!later)
    }

    @Test("what waits after a refusal is due once, the resource on its own")
    func pauses() {
        var (pauses, broker) = (StreamPauses(), KnownBroker(seed: 1))
        let times = (1...2).map { _ in pauses.hold(.location, &broker, time(0)) }
        #expect(times == [1, 2] && pauses.holds(.location) && !pauses.holds(.accelerometer) && !pauses.isWhole)
        let due = pauses.deadline ?? time(0)
        let (early, late, again) = (pauses.takeDue(due + -1), pauses.takeDue(due), pauses.takeDue(due))
        #expect(early.resources.isEmpty && late.resources == [.location] && again.resources.isEmpty)
        let count = pauses.holdWhole(&broker, time(0))
        #expect(count == 1 && pauses.isWhole)
        pauses.endWhole()
        #expect(!pauses.isWhole && pauses.deadline == nil)
    }

    @Test("the list is watched for managers without a stream, and for what they look at or wait for, and not otherwise")
    func listWatch() {
        var (watch, broker, channels) = (ListWatch(), KnownBroker(seed: 1), Channels())
        func isWatched() -> Bool {
            watch.settle(channels, &broker)
            return broker.connections.first { $0 == .watch } != nil
        }
        #expect(!isWatched())
        watch.attach()
        #expect(isWatched())
        let id = channels.add(.every(20), since: time(0))
        #expect(!isWatched())
        let (isNew, isKnown) = (watch.lookAt(.location), !watch.lookAt(.location))
        #expect(isNew && isKnown && isWatched())
        watch.detach()
        #expect(!isWatched())
        channels.await(.accelerometer)
        #expect(isWatched())
        channels.remove(id)
        #expect(!isWatched())
    }

    @Test("each who waits for an answer gets one, and a resource is asked for once")
    func answers() {
        var (answers, broker) = (Answers(), KnownBroker(seed: 1))
        let readers = (1...3).map { ReaderID(number: $0) }
        for (place, id) in readers.enumerated() {
            let reader = Reader(
                resource: .accelerometer, since: time(0), deadline: time(Int64(place + 1) * 100), accuracyMeters: nil)
            answers.read(id, reader, &broker, time(0))
        }
        #expect(broker.connections.reads.count == 1 && answers.deadline == time(100))
        answers.cancelRead(readers[2], &broker, time(0))
        answers.expire(time(100), readUntil: time(100), &broker)
        answers.fail(.accelerometer, .disconnected, &broker)
        answers.settle(&broker, time(100))
        #expect(broker.connections.reads.isEmpty && answers.deadline == nil)
        let answered = broker.actions.take().compactMap { action in
            if case .answer(let id, .failure(let error)) = action { "\(id) \(error)" } else { nil }
        }
        #expect(
            answered == ["3 \(SensorError.cancelled)", "1 \(SensorError.timedOut)", "2 \(SensorError.disconnected)"])
    }
}
