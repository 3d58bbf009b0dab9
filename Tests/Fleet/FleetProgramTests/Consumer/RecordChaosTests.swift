import Fleet
import MQTT
import Testing
import TestTools
import Varlink

@testable import sensorbroker_fleet

private let second: Int64 = 1_000_000_000

/// A host with boots, runs of its bridge, and a clock that is set some time after the boot; its network loses messages.
private struct HostInChaos {
    struct Name: Hashable, Comparable {
        let resource: String
        let epoch: String
        let number: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.epoch, left.number) < (right.epoch, right.number)
        }
    }

    static let resources = ["light", "pressure", "temperature"]

    private var random: Random
    private(set) var sent: Set<Name> = []
    /// What is left from before, or was asked for.
    private var backlog: [ServerMessage] = []
    private var epochs = 0
    private var boots = 0
    private var uptime: Int64 = 0
    private var isSet = false
    private var hasReported = false
    private var lasts: [String: Int] = [:]
    private var numbers: [String: Int] = [:]
    /// The offset of UTC of each boot, in seconds.
    private(set) var offsets: [String: Int64] = [:]

    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    init(seed: UInt64) {
        random = Random(state: seed)
        boot()
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private func identity(_ number: Int, _ letter: String) -> String {
        let digits = String(number, radix: 16)
        return letter + String(repeating: "0", count: 7 - digits.count) + digits + String(repeating: "0", count: 24)
    }

    private var epoch: String { identity(epochs, "0") }
    private var bootID: String { identity(boots, "b") }

    private mutating func boot() {
        boots += 1
        (isSet, hasReported) = (false, false)
        uptime = Int64.random(in: 1...50, using: &random)
        offsets[bootID] = 1_700_000_000 + Int64(boots) * 100_000
        start()
    }

    private mutating func start() {
        epochs += 1
        lasts = numbers
        numbers = [:]
    }

    private var clock: String {
        let offset = isSet ? offsets[bootID] ?? 0 : 1_000
        return #","clock":{"bootId":"\#(bootID)","bootNanoseconds":\#(uptime * second),"#
            + #""utcMicroseconds":\#((offset + uptime) * 1_000_000),"synchronized":\#(isSet)}"#
    }

    private mutating func message(_ resource: String) -> String {
        let number = (numbers[resource] ?? 0) + 1
        numbers[resource] = number
        sent.insert(Name(resource: resource, epoch: epoch, number: number))
        var members = ""
        if number == 1 {
            let former =
                epochs > 1 ? #""previous":"\#(identity(epochs - 1, "0"))","last":\#(lasts[resource] ?? 0),"# : ""
            members = #","began":{\#(former)"cause":"restart"}"# + clock
        } else if isSet, !hasReported {
            // A step is sent at once.
            (members, hasReported) = (clock, true)
        } else if chance(2) {
            members = clock
        }
        return
            #"{"epoch":"\#(epoch)","number":\#(number),"readings":[{"resource":"\#(resource)","sequence":\#(epochs * 10_000 + number),"#
            + #""timestampNanoseconds":\#(uptime * second),"values":{"columns":{"value":[1.5]}}}]\#(members)}"#
    }

    /// What comes in a second; all that is left if it is the last one.
    mutating func turn(isLast: Bool) -> [ServerMessage] {
        uptime += 1
        if uptime > 90 { isSet = true }
        if chance(1), uptime > 120 { boot() } else if chance(1) { start() }
        var messages: [ServerMessage] = []
        for resource in Self.resources where chance(90) {
            let text = message(resource)
            if chance(12) {
                backlog.append(HostMessages.message(resource + "/late", text))
            } else {
                messages.append(HostMessages.message(resource, text))
            }
        }
        if isLast { isSet = true }
        let report = HostMessages.status(
            "online",
            "{" + numbers.map { #""\#($0.key)":{"last":\#($0.value)}"# }.joined(separator: ",") + "}", epoch: epoch,
            clock)
        if isLast || chance(5) { messages.append(report) }
        if chance(20) || isLast {
            messages += backlog
            backlog = []
        }
        return messages
    }
}

@Suite struct RecordChaosTests {
    /// What gaps name.
    private static func reported(_ gaps: [JSONObject]) -> Set<HostInChaos.Name> {
        var reported: Set<HostInChaos.Name> = []
        for gap in gaps {
            guard case .object(let numbers)? = gap["messages"], case .string(let resource)? = gap["resource"],
                case .string(let epoch)? = numbers["epoch"], let from = numbers.integer("from"),
                let last = numbers.integer("to")
            else { continue }
            for number in from...last {
                reported.insert(HostInChaos.Name(resource: resource, epoch: epoch, number: Int(number)))
            }
        }
        return reported
    }

    @Test(
        "whatever is lost, late and restarted, each message is there once, holes are reported, and times are right",
        arguments: 0..<8)
    func chaos(seed: UInt64) throws {
        var host = HostInChaos(seed: seed)
        var recording = try RecordingRig(TemporaryDirectory(), hold: seed % 3 == 0 ? 2 : 60)
        let seconds = 1_000
        for step in 0..<seconds {
            for message in host.turn(isLast: step == seconds - 1) { try recording.take(message) }
            try recording.wait(1)
        }
        _ = try recording.command.finish()
        let order = host.sent.sorted { ($0.resource, $0) < ($1.resource, $1) }
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var found: [HostInChaos.Name] = []
        for file in ["van.ndjson", "van.late.ndjson"] {
            var newest: [String: HostInChaos.Name] = [:]
            var offset: Int64 = 0
            var boot: JSONValue?
            var sessions = 0
            let reported = Self.reported(recording.objects("gap", file))
            for line in recording.lines(file) {
                if case .object(let header)? = line["recording"] {
                    let utc = try #require(header.integer("utcMicroseconds"))
                    offset = utc / 1_000_000 - (try #require(header.integer("bootNanoseconds"))) / second
                    boot = header["bootId"]
                    sessions += 1
                    guard case .string(let identifier)? = boot else {
                        Issue.record("a session of no boot: \(header)")
                        continue
                    }
                    #expect(offset == host.offsets[identifier], "seed \(seed), \(file): \(header)")
                } else if case .object(let mark)? = line["message"], case .string(let resource)? = mark["resource"],
                    case .string(let epoch)? = mark["epoch"], let number = mark.integer("number")
                {
                    let name = HostInChaos.Name(resource: resource, epoch: epoch, number: Int(number))
                    found.append(name)
                    if file == "van.ndjson", let before = newest[resource] {
                        #expect(before < name)
                        let between = (places[before] ?? 0) + 1..<max(places[name] ?? 0, (places[before] ?? 0) + 1)
                        #expect(order[between].allSatisfy(reported.contains), "seed \(seed): \(before) \(name)")
                    }
                    newest[resource] = name
                }
            }
            if file == "van.ndjson" {
                #expect(
                    sessions <= 3 * host.offsets.count,
                    "seed \(seed): \(sessions) sessions of \(host.offsets.count) boots")
            }
        }
        #expect(found.count == host.sent.count && Set(found) == host.sent)
    }
}
