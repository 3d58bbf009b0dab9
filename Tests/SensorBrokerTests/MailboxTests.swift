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

    @Test("its elements come before the error, and the error comes once")
    func error() async throws {
        mailbox.put(.connected)
        mailbox.finish(.timedOut)
        mailbox.put(.brokerShutDown)
        mailbox.finish()
        #expect(try await mailbox.next() == .connected)
        await #expect(throws: SensorError.timedOut) { try await mailbox.next() }
        #expect(try await mailbox.next() == nil)
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

    @Test("a waiting reader is released when another one starts to wait")
    func second() async throws {
        let mailbox = mailbox
        let first = Task { try await mailbox.next() }
        let second = Task { try await mailbox.next() }
        let both = Task { (try await first.value, try await second.value) }
        // Which of them waits is not known; the one who does gets it.
        while mailbox.isEmptyHanded { await Task.yield() }
        mailbox.put(.connected)
        mailbox.finish()
        let values = try await both.value
        #expect([values.0, values.1].contains(.connected))
    }
}
