import Testing

@testable import SensorBroker

@Suite(.timeLimit(.minutes(30))) struct MailboxTests {
    private let mailbox = Mailbox(LifecycleBuffer(capacity: 1000))

    @Test("elements come out in order, whether somebody waits or not")
    func order() async throws {
        let mailbox = mailbox
        let taker = Task {
            var attempts: [Int] = []
            while case .reconnecting(_, let attempt) = try await mailbox.next() { attempts.append(attempt) }
            return attempts
        }
        for attempt in 0..<500 {
            mailbox.put(.reconnecting(after: .zero, attempt: attempt))
            if attempt % 50 == 0 { await Task.yield() }
        }
        mailbox.finish()
        #expect(try await taker.value == Array(0..<500))
    }

    @Test("elements that come together go to whoever waits, and the others can be taken at once")
    func together() async throws {
        let mailbox = mailbox
        let takers = (0..<2).map { _ in Task { try await mailbox.next() } }
        while mailbox.waitingCount < 2 { await Task.yield() }
        mailbox.put((0..<5).map { .reconnecting(after: .zero, attempt: $0) })
        var all: [LifecycleEvent] = []
        for taker in takers { if let event = try await taker.value { all.append(event) } }
        #expect(mailbox.takeAll().count == 3 && all.count == 2 && mailbox.takeAll().isEmpty)
    }

    @Test("its elements come before the error, which every reader gets")
    func error() async throws {
        mailbox.put(.connected)
        mailbox.finish(.timedOut)
        mailbox.put(.brokerShutDown)
        mailbox.finish()
        #expect(try await mailbox.next() == .connected)
        for _ in 0..<2 { await #expect(throws: SensorError.timedOut) { try await mailbox.next() } }
    }

    @Test("a cancelled task stops waiting, and loses nothing that is added afterwards")
    func cancellation() async throws {
        for _ in 0..<200 {
            let taker = Task { [mailbox] in try await mailbox.next() }
            if Bool.random() { await Task.yield() }
            taker.cancel()
            #expect(try await taker.value == nil)
        }
        mailbox.put(.connected)
        #expect(try await mailbox.next() == .connected)
    }

    @Test("each element goes to one of several readers, and the end to all", arguments: [nil, SensorError.timedOut])
    func several(error: SensorError?) async throws {
        let mailbox = mailbox
        let readers = (0..<5).map { _ in
            Task {
                var (taken, failure): ([LifecycleEvent], SensorError?) = ([], nil)
                do throws(SensorError) {
                    while let event = try await mailbox.next() { taken.append(event) }
                } catch { failure = error }
                return (taken, failure)
            }
        }
        for attempt in 0..<500 {
            mailbox.put(.reconnecting(after: .zero, attempt: attempt))
            if attempt % 20 == 0 { await Task.yield() }
        }
        while mailbox.waitingCount < 5 { await Task.yield() }
        mailbox.finish(error)
        var attempts: [Int] = []
        for reader in readers {
            let (taken, failure) = await reader.value
            let own = taken.map { event in if case .reconnecting(_, let attempt) = event { attempt } else { -1 } }
            #expect(own == own.sorted() && failure == error)
            attempts += own
        }
        #expect(attempts.sorted() == Array(0..<500))
    }

    @Test("of several readers that wait, only the cancelled one is released")
    func cancelledOne() async throws {
        let mailbox = mailbox
        let readers = (0..<3).map { _ in Task { try await mailbox.next() } }
        while mailbox.waitingCount < 3 { await Task.yield() }
        readers[1].cancel()
        #expect(try await readers[1].value == nil)
        #expect(mailbox.waitingCount == 2)
        for _ in 0..<2 { mailbox.put(.connected) }
        #expect(try await readers[0].value == .connected)
        #expect(try await readers[2].value == .connected)
    }
}
