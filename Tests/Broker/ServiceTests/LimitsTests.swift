import Admission
import Delivery
import Foundation
import Service
import Testing

@Suite struct LimitsTests {
    /// docs/limits.md of this checkout.
    private static let page = URL(filePath: #filePath).appending(path: "../../../../docs/limits.md").standardized

    @Test("the page shows the table that the numbers make")
    func documented() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let head = "| resource | limit | when it is exceeded |\n| --- | --- | --- |\n"
        let start = try #require(text.range(of: head)).upperBound
        let end = try #require(text.range(of: "\n\n", range: text.index(before: start)..<text.endIndex)).lowerBound
        let shown = String(text[start...end])
        #expect(shown == Limits.table)
    }

    @Test("shares of bytes are larger than one client needs, and trusted users leave something")
    func consistent() {
        #expect(Limits.queues.perUser >= Limits.queuedBytes && Limits.bytes.perUser >= Limits.callBytes)
        for terms in [Limits.connections, Limits.subscriptions, Limits.queues, Limits.bytes, Limits.administration] {
            #expect(terms.perTrustedUser < terms.total)
            #expect(terms.perUser <= terms.perTrustedUser)
        }
    }
}
