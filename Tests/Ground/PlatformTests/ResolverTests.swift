import Foundation
import Testing

@testable import Platform

@Suite("A resolver") struct ResolverTests {
    /// A name server that answers on command, and counts its callers.
    private final class NameServer: Sendable {
        private let asked = Locked(0)
        private let mayAnswer: WakeEvent

        init() throws { mayAnswer = try WakeEvent() }

        var count: Int { asked.withLock { $0 } }

        func lookUp(_ host: String) -> Resolver.Answer {
            asked.withLock { $0 += 1 }
            _ = Wait.untilReadable(mayAnswer.descriptor, nanoseconds: nil)
            return host == "known" ? .found([[2, 0, 0, 0, 192, 0, 2, 1]]) : .failed(ENXIO)
        }

        func answer() { mayAnswer.signal() }
    }

    private static let hour: Int64 = 3_600_000_000_000

    private func code(_ resolver: Resolver, _ host: String, _ nanoseconds: Int64) -> Int32? {
        do throws(SystemError) {
            _ = try resolver.addresses(of: host, withinNanoseconds: nanoseconds)
            return nil
        } catch { return error.code }
    }

    @Test("has one lookup of a name at a time, however many threads ask")
    func shared() async throws {
        let server = try NameServer()
        let resolver = Resolver { server.lookUp($0) }
        for _ in 0..<50 { #expect(code(resolver, "known", 0) == ETIMEDOUT) }
        // A waiting caller gets the answer to the first question.
        let waiter = Task.detached { try resolver.addresses(of: "known", withinNanoseconds: Self.hour) }
        #expect(code(resolver, "unknown", 0) == ETIMEDOUT)
        server.answer()
        #expect(try await waiter.value == [[2, 0, 0, 0, 192, 0, 2, 1]])
        #expect(code(resolver, "unknown", Self.hour) == ENXIO)
        #expect((2...4).contains(server.count))
    }

    @Test("asks again after an answer")
    func fresh() throws {
        let server = try NameServer()
        server.answer()
        let resolver = Resolver { server.lookUp($0) }
        for count in 1...3 {
            #expect(code(resolver, "unknown", Self.hour) == ENXIO)
            #expect(server.count == count)
        }
    }
}
