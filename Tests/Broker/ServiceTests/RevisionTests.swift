import Admission
import Delivery
import Platform
import Readings
import Testing
import Varlink

@testable import Service

@Suite("What a revision announces holds from there on", .timeLimit(.minutes(30))) struct RevisionTests {
    private static let period = RevisedBroker.period

    private static func request(_ label: String?, _ resource: ResourceName = .accelerometer, every periods: Int64)
        -> Request
    {
        var request = Request(resource: resource)
        request.label = label
        request.intervalNanoseconds = periods * period
        return request
    }

    /// What a client may ask for, of every form.
    private static func anything(among former: [Request], _ random: inout SplitMix64) -> Request {
        let resource = Bool.random(using: &random) ? ResourceName.accelerometer : RevisedBroker.gyroscope
        let label = ["a", "b", "c", "d", "accelerometer", nil].randomElement(using: &random) ?? nil
        let periods: Int64 = [0, 1, 2, 3, 5, 7, 10, 20, 50, 100].randomElement(using: &random) ?? 1
        var request = Self.request(label, resource, every: periods)
        request.wantsPacked = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<3, using: &random) == 0 {
            request.alignTo = former.filter { $0.name != request.name }.randomElement(using: &random)?.name
        }
        guard request.alignTo == nil else { return request }
        if Int.random(in: 0..<4, using: &random) == 0 {
            request.batchNanoseconds = [10, 30, 100].randomElement(using: &random).map { $0 * period }
        }
        if periods >= 10, Int.random(in: 0..<4, using: &random) == 0 { request.filter = .mean }
        return request
    }

    /// A change of the stream; one that the broker refuses changes nothing.
    private static func change(_ broker: RevisedBroker, _ stream: inout RevisedStream, _ random: inout SplitMix64) {
        var requests: [Request] = []
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let request = Self.anything(among: stream.requests, &random)
            if !requests.contains(where: { $0.name == request.name }) { requests.append(request) }
        }
        let changed = Set(requests.map(\.name))
        let removed = stream.requests.map(\.name).filter {
            !changed.contains($0) && Int.random(in: 0..<5, using: &random) == 0
        }
        guard !requests.isEmpty || !removed.isEmpty else { return }
        let kept = stream.requests.filter { !changed.contains($0.name) && !removed.contains($0.name) }
        if (try? broker.modify(requests, remove: removed)) != nil { stream.change(to: kept + requests, broker.now) }
    }

    @Test(
        "in streams of every form that change at any time, and nothing is lost unreported",
        arguments: 0..<16 as Range<UInt64>)
    func anyChange(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let broker = try RevisedBroker()
        var stream = RevisedStream()
        let first = [request("a", every: 2), request(nil, every: 3)]
        try broker.subscribe(first)
        stream.change(to: first, broker.now)
        var sleepsFor = 0
        for _ in 0..<1_500 where stream.faults.isEmpty {
            broker.pass()
            if Int.random(in: 0..<60, using: &random) == 0 { broker.lose(Int.random(in: 1...3, using: &random)) }
            if Int.random(in: 0..<20, using: &random) == 0 { Self.change(broker, &stream, &random) }
            if Int.random(in: 0..<200, using: &random) == 0 { sleepsFor = Int.random(in: 1...400, using: &random) }
            sleepsFor -= 1
            if sleepsFor < 0 { for message in try broker.read() { try stream.take(message) } }
        }
        for message in try broker.read() { try stream.take(message) }
        let names = stream.requests.map(\.name)
        let hadCompanions = stream.hadCompanions
        if !names.isEmpty { try broker.modify([], remove: names) }
        stream.change(to: [], broker.now)
        for message in try broker.read() { try stream.take(message) }
        #expect(stream.faults.isEmpty, "\(stream.faults)")
        let former = try #require(broker.former)
        #expect(former.lost == stream.lost)
        if !hadCompanions { #expect(former.delivered == stream.readings) }
    }

    private func request(_ label: String?, _ resource: ResourceName = .accelerometer, every periods: Int64) -> Request {
        Self.request(label, resource, every: periods)
    }

    /// What comes after the change: of readings the label, of others what they are.
    private func contents(_ messages: [Parameters]) throws -> [String] {
        try messages.flatMap { message in
            var words: [String] = []
            if let revision = try message.optionalInteger("revision") { words.append("revision \(revision)") }
            for gap in try message.optionalObjects("gaps") ?? [] {
                words.append("gap \(try gap.optionalInteger("count") ?? 0)")
            }
            for reading in try message.optionalObjects("readings") ?? [] {
                words.append("reading \(try reading.optionalString("label") ?? "")")
            }
            return words
        }
    }

    @Test("also if it removes the last label of a stream whose batch is being gathered")
    func lastLabel() throws {
        let broker = try RevisedBroker()
        var batched = request("a", every: 1)
        batched.batchNanoseconds = 100 * Self.period
        try broker.subscribe([batched])
        for _ in 0..<30 { broker.pass() }
        _ = try broker.read()
        try broker.modify([], remove: ["a"])
        #expect(try contents(broker.read()) == ["reading a", "revision 2"])
    }

    @Test("also if it changes a lead whose readings wait for a companion, or the companion", arguments: [true, false])
    func lead(isLead: Bool) throws {
        let broker = try RevisedBroker()
        var companion = request("co", RevisedBroker.gyroscope, every: 100)
        companion.alignTo = "lead"
        try broker.subscribe([request("lead", every: 2), companion])
        for _ in 0..<60 { broker.pass() }
        _ = try broker.read()
        companion.intervalNanoseconds = 50 * Self.period
        try broker.modify([isLead ? request("lead", every: 50) : companion])
        let contents = try contents(broker.read())
        #expect(contents.firstIndex(of: "revision 2").map { $0 > 0 } == true)
        for _ in 0..<30 { broker.pass() }
        #expect(try !self.contents(broker.read()).contains("reading lead") || !isLead)
    }

    @Test("also if a setting, and not the client, changes the grant of a lead")
    func setting() throws {
        let broker = try RevisedBroker()
        var companion = request("co", RevisedBroker.gyroscope, every: 100)
        companion.alignTo = "lead"
        try broker.subscribe([request("lead", every: 2), companion])
        for _ in 0..<60 { broker.pass() }
        _ = try broker.read()
        let policy = IntervalPolicy(minimumNanoseconds: 50 * Self.period)
        broker.broker.configure(
            .acceleration, ResourcePolicy(warmGraceNanoseconds: 0, intervals: policy), now: broker.now)
        broker.pass()
        let messages = try broker.read()
        let announced = try messages.firstIndex { try $0.optionalObjects("grants") != nil }
        #expect(announced.map { $0 > 0 } == true)
        #expect(try contents(Array(messages.prefix(announced ?? 0))).contains("reading lead"))
        let later = messages.dropFirst((announced ?? 0) + 1)
        #expect(try contents(Array(later)).filter { $0 == "reading lead" }.count <= 1)
    }

    @Test("also of a label that is the resource's own name, and is added or left out", arguments: [true, false])
    func ownName(isAdded: Bool) throws {
        let broker = try RevisedBroker()
        let labels: [String?] = isAdded ? [nil, "accelerometer"] : ["accelerometer", nil]
        var first = request(labels[0], every: 2)
        first.batchNanoseconds = 100 * Self.period
        try broker.subscribe([first])
        for _ in 0..<31 { broker.pass() }
        _ = try broker.read()
        var second = first
        second.label = labels[1]
        try broker.modify([second])
        #expect(try contents(broker.read()) == ["reading \(labels[0] ?? "")", "revision 2"])
        for _ in 0..<101 { broker.pass() }
        #expect(try contents(broker.read()) == ["reading \(labels[1] ?? "")"])
    }

    @Test("at the limit of labels, one takes the place of another, and no further one comes")
    func labelForLabel() throws {
        let broker = try RevisedBroker()
        let labels = broker.broker.server.clients.quotas.labels
        labels.terms = Quota.Terms(total: 2, perUser: 2, perTrustedUser: 2)
        try broker.subscribe([request("a", every: 1), request("b", every: 2)])
        try broker.modify([request("c", every: 3)], remove: ["a"])
        #expect(labels.charged == 2)
        #expect(throws: VarlinkError.tooManyRequests(limit: 2)) {
            try broker.modify([request("d", every: 3), request("e", every: 3)], remove: ["b"])
        }
        try broker.modify([], remove: ["b"])
        #expect(labels.charged == 1)
    }

    @Test("also of what was lost: it is reported before the next change", arguments: [nil, "a"] as [String?])
    func loss(label: String?) throws {
        let broker = try RevisedBroker()
        try broker.subscribe([request(label, every: 1)])
        _ = try broker.read()
        while !broker.isFull { broker.pass() }
        for _ in 0..<50 { broker.pass() }
        try broker.modify([request(label, every: 10)])
        for _ in 0..<35 { broker.pass() }
        let contents = try contents(broker.read())
        let announced = try #require(contents.firstIndex { $0.hasPrefix("revision 2") })
        #expect(contents[..<announced].contains { $0.hasPrefix("gap") })
        // Of what was due since, the newest comes after all.
        #expect(contents[announced...].filter { $0.hasPrefix("gap") } == ["gap 2"])
    }
}
