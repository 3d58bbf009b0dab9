import Testing

@testable import SensorBroker

@Suite struct EventBufferTests {
    private func reading(_ number: Int) -> SensorEvent<Int> {
        .reading(Reading(number, of: .accelerometer, at: BootTime(nanoseconds: Int64(number))))
    }

    private func drain(_ buffer: inout EventBuffer<Int>) -> [SensorEvent<Int>] {
        var events: [SensorEvent<Int>] = []
        while let event = buffer.popFirst() { events.append(event) }
        return events
    }

    private func gap(_ cause: Gap.Cause, _ count: Int?, _ from: Int64, _ until: Int64) -> SensorEvent<Int> {
        .gap(
            Gap(
                resource: .accelerometer, cause: cause, count: count, from: BootTime(nanoseconds: from),
                until: BootTime(nanoseconds: until)))
    }

    @Test("events that fit come out unchanged")
    func order() {
        var buffer = EventBuffer<Int>(capacity: 8)
        let events = [.state(.active), reading(1), gap(.deviceLost, nil, 1, 2), reading(2)]
        for event in events { buffer.append(event) }
        #expect(drain(&buffer) == events)
        #expect(buffer.popFirst() == nil)
    }

    @Test("the newest readings are kept, and the gap before them counts the others exactly")
    func newestWins() {
        var buffer = EventBuffer<Int>(capacity: 8)
        for number in 1...1000 { buffer.append(reading(number)) }
        let events = drain(&buffer)
        #expect(events.first == gap(.slowConsumer, 993, 1, 993))
        #expect(Array(events.dropFirst()) == (994...1000).map { reading($0) })
    }

    @Test("two batches have room, however long they are; of more, the oldest readings are counted")
    func batches() {
        var buffer = EventBuffer<Int>(capacity: 8)
        for start in [1, 501] { buffer.append(contentsOf: (start...start + 499).map { reading($0) }) }
        #expect(drain(&buffer) == (1...1000).map { reading($0) })
        for start in [1, 501, 1001] { buffer.append(contentsOf: (start...start + 499).map { reading($0) }) }
        let events = drain(&buffer)
        #expect(events.first == gap(.slowConsumer, 501, 1, 501))
        #expect(Array(events.dropFirst()) == (502...1500).map { reading($0) })
    }

    @Test("every reading is delivered or counted, once, whatever comes between")
    func account() {
        var generator = SystemRandomNumberGenerator()
        var buffer = EventBuffer<Int>(capacity: 8)
        var (delivered, counted, last) = (0, 0, 0)
        func take() {
            switch buffer.popFirst() {
            case .reading(let reading):
                #expect(reading.value > last)
                last = reading.value
                delivered += 1
            case .gap(let gap) where gap.cause == .slowConsumer: counted += gap.count ?? 0
            default: break
            }
        }
        for number in 1...50_000 {
            buffer.append(reading(number))
            if Bool.random(using: &generator) { buffer.append(.state(.active)) }
            for _ in 0..<Int.random(in: 0...2, using: &generator) { take() }
        }
        for _ in 0..<8 { take() }
        #expect(delivered + counted == 50_000)
        #expect(last == 50_000)
    }

    @Test("the newest reading is never dropped, however much else there is")
    func newestStays() {
        var buffer = EventBuffer<Int>(capacity: 8)
        for number in 1...100 {
            buffer.append(reading(number))
            buffer.append(.state(.active))
            buffer.append(.disconnected(.timedOut))
        }
        let events = drain(&buffer)
        #expect(events.contains(reading(100)) && events.count <= 8)
        let counts = events.map { event in if case .gap(let gap) = event { gap.count ?? 0 } else { 0 } }
        #expect(counts.reduce(0, +) + events.count { if case .reading = $0 { true } else { false } } == 100)
    }

    private func numbers(_ events: [SensorEvent<Int>]) -> [Int] {
        events.compactMap { if case .reading(let reading) = $0 { reading.value } else { nil } }
    }

    @Test("the newest readings are kept as well where each has a gap of its own, and each cause keeps its count")
    func newestWinsAmongGaps() {
        var buffer = EventBuffer<Int>(capacity: 16)
        for number in 1...100 {
            buffer.append(gap(.deviceOverflow, 2, Int64(number), Int64(number)))
            buffer.append(reading(number))
        }
        let events = drain(&buffer)
        #expect(events.count <= 16)
        let kept = numbers(events)
        #expect(kept.suffix(6) == [95, 96, 97, 98, 99, 100])
        func count(_ cause: Gap.Cause) -> Int {
            events.reduce(0) { if case .gap(let gap) = $1, gap.cause == cause { $0 + (gap.count ?? 0) } else { $0 } }
        }
        #expect(count(.deviceOverflow) == 200)
        #expect(count(.slowConsumer) + kept.count == 100)
    }

    @Test("a change of states that a slow consumer has not seen yet is still reported, whatever readings came since")
    func statesAmongReadings() {
        var buffer = EventBuffer<Int>(capacity: 16)
        for number in 1...3 { buffer.append(reading(number)) }
        let changes: [ResourceState] = [.unavailable(reason: "unplugged"), .starting, .active]
        for state in changes { buffer.append(.state(state)) }
        for number in 4...100 { buffer.append(reading(number)) }
        let events = drain(&buffer)
        let states = events.compactMap { if case .state(let state) = $0 { state } else { nil } }
        #expect(states == changes)
        #expect(numbers(events).count >= 10)
    }

    @Test("the newest readings are kept as well where each has a state of its own")
    func newestWinsAmongStates() {
        var buffer = EventBuffer<Int>(capacity: 16)
        for number in 1...100 {
            buffer.append(.state(number.isMultiple(of: 2) ? .active : .starting))
            buffer.append(reading(number))
        }
        #expect(numbers(drain(&buffer)).suffix(6) == [95, 96, 97, 98, 99, 100])
    }

    @Test("a day of states and gaps without a reading stays within the capacity, and the newest state is kept")
    func oldStatesAndGaps() {
        var buffer = EventBuffer<Int>(capacity: 8)
        for number in 1...100 {
            buffer.append(.state(.unavailable(reason: "\(number)")))
            buffer.append(gap(.deviceLost, number, Int64(number), Int64(number)))
        }
        let events = drain(&buffer)
        #expect(events.count == 8)
        #expect(events.contains(.state(.unavailable(reason: "100"))))
        let counts = events.map { event in if case .gap(let gap) = event { gap.count ?? 0 } else { 0 } }
        #expect(counts.reduce(0, +) == 5050)
    }

    @Test("if the count of one gap is unknown, that of both is")
    func unknownCount() {
        var buffer = EventBuffer<Int>(capacity: 8)
        for number in 1...9 { buffer.append(gap(.deviceLost, number == 1 ? nil : 1, Int64(number), Int64(number))) }
        #expect(buffer.popFirst() == gap(.deviceLost, nil, 1, 2))
    }
}

@Suite struct LifecycleBufferTests {
    @Test("the oldest are dropped, and counted in their place")
    func missed() {
        var buffer = LifecycleBuffer(capacity: 2)
        for attempt in 1...5 { buffer.append(.reconnecting(after: .zero, attempt: attempt)) }
        #expect(buffer.popFirst() == .missed(3))
        #expect(buffer.popFirst() == .reconnecting(after: .zero, attempt: 4))
        #expect(buffer.popFirst() == .reconnecting(after: .zero, attempt: 5))
        #expect(buffer.popFirst() == nil)
    }
}
