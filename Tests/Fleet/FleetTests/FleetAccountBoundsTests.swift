import Spool
import TestTools
import Testing

@testable import Fleet

@Suite struct FleetAccountBoundsTests {
    @Test("giant numbers are missing, and cost nothing")
    func giants() {
        var consumer = AccountConsumer()
        let giant = UInt64(Int64.max - 1)
        consumer.take(#"{"epoch":"\#(firstEpoch)","number":\#(giant)}"#)
        #expect(consumer.missing == ["01: 1-\(giant - 1)"])
        consumer.take(
            #"{"epoch":"\#(firstEpoch)","number":2,"lost":{"epoch":"\#(firstEpoch)","from":1,"to":\#(giant),"cause":"gone"}}"#
        )
        #expect(consumer.missing.isEmpty)
    }

    @Test("tens of thousands of hosts are summed up, each by itself", .timeLimit(.minutes(1)))
    func manyHosts() throws {
        var account = FleetAccount(from: .beginning)
        let payload = Wire.status(
            .online, epoch: firstEpoch, streams: [StreamStatus(name: "light", last: 0, oldest: nil)])
        let report = try #require(HostReport(payload))
        for number in 0..<30_000 { account.take(report, of: "truck-\(number)", isRetained: number.isMultiple(of: 2)) }
        #expect(account.summaries.count(where: \.isSilent) == 15_000 && account.silent.count == 15_000)
    }

    @Test("what is missing is looked for where something came, however many epochs there were", .timeLimit(.minutes(1)))
    func manyEpochs() {
        let epochs = (0..<100).map { Identity(utcMicroseconds: Int64($0) * 1_000_000, random: (0, 0)) }
        var account = FleetAccount(from: .joining)
        for host in 0..<100 {
            for (former, epoch) in zip(epochs, epochs.dropFirst()) {
                let began = #""began":{"previous":"\#(former)","last":1,"cause":"order"}"#
                let line = #"{"epoch":"\#(epoch)","number":1,\#(began)}"#
                guard let message = FleetMessage(Array(line.utf8)) else { continue }
                account.take(message, of: "truck-\(host)", resource: "light", isLate: false)
            }
        }
        for number in 2..<1_002 {
            let line = #"{"epoch":"\#(epochs[99])","number":\#(number)}"#
            guard let message = FleetMessage(Array(line.utf8)) else { continue }
            account.take(message, of: "truck-7", resource: "light", isLate: false)
            #expect(account.findMissing().count == 100)
        }
    }

    @Test(
        "what is found missing is all that is, whatever came since it was looked for",
        arguments: 0..<200 as Range<UInt64>)
    func found(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var account = FleetAccount(from: seed.isMultiple(of: 4) ? .beginning : .joining)
        func epoch() -> Identity {
            [firstEpoch, secondEpoch, thirdEpoch].randomElement(using: &generator) ?? firstEpoch
        }
        func number() -> Int { .random(in: 1...9, using: &generator) }
        func isSo(_ percent: Int) -> Bool { .random(in: 0..<100, using: &generator) < percent }
        for _ in 0..<60 {
            let host = isSo(50) ? "car" : "truck"
            let resource = isSo(50) ? "light" : "location"
            var line = #"{"epoch":"\#(epoch())","number":\#(number())"#
            if isSo(20) { line += #","began":{"previous":"\#(epoch())","last":\#(number()),"cause":"crash"}"# }
            if isSo(20) { line += #","lost":{"epoch":"\#(epoch())","from":1,"to":\#(number()),"cause":"evicted"}"# }
            if isSo(70), let message = FleetMessage(Array((line + "}").utf8)) {
                account.take(message, of: host, resource: resource, isLate: isSo(30))
            } else if isSo(80) {
                let streams = [StreamStatus(name: resource, last: UInt64(number()), oldest: nil)]
                let state: HostState = isSo(80) ? .online : .offline
                guard let report = HostReport(Wire.status(state, epoch: epoch(), streams: streams)) else { continue }
                account.take(report, of: host, isRetained: isSo(30))
            } else {
                var numbers = NumberSet()
                numbers.insert(UInt64(number()))
                account.resume(host, epoch(), resource, numbers, after: isSo(50) ? UInt64(number()) : nil)
            }
            if isSo(1) { account.freeze() }
            if isSo(60) { #expect(account.findMissing() == account.missing) }
        }
    }

    @Test("a host may have any number of epochs: those that are over and whole are known by their names alone")
    func years() {
        let epochs = (0..<3_000).map { Identity(utcMicroseconds: Int64($0) * 1_000_000, random: (0, 0)) }
        var consumer = AccountConsumer()
        consumer.take(1...2, epochs[0])
        for (former, epoch) in zip(epochs, epochs.dropFirst()) {
            for resource in ["location", "light", "pressure", "accelerometer"] {
                let began = #""began":{"previous":"\#(former)","last":2,"cause":"order"}"#
                consumer.take(#"{"epoch":"\#(epoch)","number":1,\#(began)}"#, resource: resource)
                // One that is not whole stays.
                if epoch != epochs[7] { consumer.take(#"{"epoch":"\#(epoch)","number":2}"#, resource: resource) }
            }
        }
        let numbers = consumer.account.missing.filter { $0.epoch == epochs[7] }.map(\.ranges)
        #expect(numbers == Array(repeating: [2...2], count: 4) && !consumer.account.isOverrun("truck"))
        let known = consumer.account.summaries.flatMap(\.epochs)
        #expect(known.count < 1_000 && known.last?.epoch == epochs[2_999] && known.last?.streams.count == 4)
        guard let again = FleetMessage(Array(#"{"epoch":"\#(epochs[9])","number":2}"#.utf8)) else { return }
        let isNew = [true, false].map { consumer.account.take(again, of: "truck", resource: "light", isLate: $0) }
        #expect(isNew == [false, false] && !consumer.account.isOverrun("truck"))
    }

    @Test("a hostile host has a bounded share of memory, is reported, and takes none from others")
    func floods() throws {
        var consumer = AccountConsumer()
        let empty = try #require(FleetMessage(Array(#"{"epoch":"\#(firstEpoch)","number":1}"#.utf8)))
        for number in 1...15_000 {
            let text = String(number, radix: 16)
            let epoch = String(repeating: "0", count: 32 - text.count) + text
            consumer.take(#"{"epoch":"\#(epoch)","number":1}"#)
        }
        #expect(consumer.account.summaries.first?.isOverrun == true)
        #expect(consumer.account.summaries.first?.isComplete == false)
        #expect((consumer.account.summaries.first?.epochs.count ?? 0) < 5_001)
        for number in stride(from: 1, to: 80_001, by: 2) {
            let message = try #require(FleetMessage(Array(#"{"epoch":"\#(firstEpoch)","number":\#(number)}"#.utf8)))
            consumer.account.take(message, of: "holes", resource: "location", isLate: false)
        }
        #expect((consumer.account.summaries.first?.epochs.first?.streams.first?.missing.count ?? 0) < 20_000)
        consumer.account.take(empty, of: "van", resource: "location", isLate: false)
        #expect(consumer.account.summaries.last?.isComplete == false && consumer.account.silent.contains("van"))

        var account = FleetAccount(from: .joining, mostHosts: 3)
        for host in 1...5 { account.take(empty, of: "\(host)", resource: "location", isLate: false) }
        #expect(account.hasRefusedHosts && account.names.count == 3)
    }
}
