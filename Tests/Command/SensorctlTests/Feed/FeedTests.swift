import BrokerClient
import Formats
import Platform
import Readings
import Testing
import Varlink

@testable import sensorctl

/// What becomes of a feed's lines.
@Suite struct FeedTests {
    private static let second: Int64 = 1_000_000_000

    private static func now(_ seconds: Double) -> ClockPair {
        ClockPair(bootNanoseconds: Int64(seconds * 1e9), utcNanoseconds: 1_790_000_000 * second + Int64(seconds * 1e9))
    }

    private static func feed(_ kind: Kind = .acceleration, startsAnywhere: Bool = false) -> Feed {
        Feed(FeedOffer(kind: kind, name: "\(kind.row.resource):arm"), startsAnywhere: startsAnywhere)
    }

    private static func demand(_ object: JSONObject) throws -> ProvideReply { try ProvideReply(Parameters(object)) }

    private static func pushes(_ feed: inout Feed, _ now: Int64) -> [JSONValue?] {
        var samples: [JSONValue?] = []
        while let bytes = feed.push(now) {
            guard let call = try? Call(parsing: bytes.dropLast(), limits: .calls) else { return [nil] }
            #expect(call.qualifiedMethod == "io.sensorbroker.Feed.Push" && call.mode == .oneway)
            samples.append(call.parameters.object["samples"])
        }
        return samples
    }

    @Test("what could not be kept is told with the next samples, unless the broker is of before that")
    func missing() throws {
        for takesMissing in [true, false] {
            var feed = Self.feed()
            feed.take(try Self.demand(["wanted": true, "takesMissing": .bool(takesMissing)]), 0)
            feed.take(Array(String(repeating: "1,2,3\n", count: 5_000).utf8), Self.now(1))
            var missing: [JSONValue?] = []
            while let bytes = feed.push(Self.second) {
                missing.append(try Call(parsing: bytes.dropLast(), limits: .calls).parameters.object["missing"])
            }
            #expect(missing.count > 1 && missing[0] == (takesMissing ? .integer(5_000 - 4_096) : nil))
            #expect(missing.dropFirst().allSatisfy { $0 == nil })
        }
    }

    @Test("what was gathered and not sent is told, at the end and when the broker goes away")
    func unsent() throws {
        var feed = Self.feed()
        feed.take(try Self.demand(["wanted": true, "latencyNanoseconds": 500_000_000]), 0)
        feed.take(Array("1,2,3\n4,5,6\n".utf8), Self.now(1))
        feed.lose()
        #expect(feed.takeNotes() == ["the last 2 samples were not sent"])
        feed.take(try Self.demand(["wanted": true, "latencyNanoseconds": 500_000_000]), Self.second)
        feed.take(Array("1,2,3\n".utf8), Self.now(2))
        feed.report()
        #expect(feed.takeNotes() == ["the last sample was not sent"])
    }

    @Test("lines that are wanted are sent, those that were read at once in one call")
    func wanted() throws {
        var feed = Self.feed()
        feed.take(Array("1,2,3\n".utf8), Self.now(1))
        #expect(feed.deadline == nil && !feed.isWanted)
        feed.take(try Self.demand(["wanted": true]), Self.second)
        feed.take(Array("4,5,6\n7,8".utf8), Self.now(2))
        #expect(feed.deadline == 2 * Self.second)
        feed.take(Array(",9\n".utf8), Self.now(2.5))
        #expect(
            Self.pushes(&feed, 3 * Self.second) == [
                [
                    [
                        "resource": "accelerometer:arm", "timestampNanoseconds": 2_000_000_000,
                        "values": [
                            "columns": ["x": [4.0, 7.0], "y": [5.0, 8.0], "z": [6.0, 9.0]],
                            "periodNanoseconds": 500_000_000,
                        ],
                    ]
                ]
            ])
        #expect(feed.deadline == nil)
        feed.take(try Self.demand(["wanted": false]), Self.second)
        feed.take(Array("1,2,3\n".utf8), Self.now(4))
        feed.finish(Self.now(4))
        #expect(feed.deadline == nil && feed.takeNotes().isEmpty)
        var unwanted = Self.feed()
        unwanted.take(try Self.demand(["wanted": false]), 0)
        unwanted.take(Array("1,2,3".utf8), Self.now(1))
        unwanted.finish(Self.now(1))
        #expect(unwanted.takeNotes().map { $0.hasPrefix("nobody wanted") } == [true])
    }

    @Test("samples are gathered for as long as clients allow, but not more than a call can have")
    func gathered() throws {
        var feed = Self.feed()
        feed.take(try Self.demand(["wanted": true, "latencyNanoseconds": 500_000_000]), 0)
        feed.take(Array("1,2,3\n".utf8), Self.now(1))
        #expect(feed.deadline == Self.second * 3 / 2 && feed.push(Self.second) == nil)
        feed.take(Array(String(repeating: "1,2,3\n", count: 199).utf8), Self.now(1.2))
        // A call is full, and due.
        let now = Self.second * 6 / 5
        #expect(try #require(feed.deadline) <= now)
        #expect(feed.push(now) != nil && feed.deadline == nil)
    }

    @Test("locations go one by one")
    func locations() throws {
        var feed = Self.feed(.location)
        feed.take(try Self.demand(["wanted": true]), 0)
        feed.take(Array("{\"lat\":48.5,\"lon\":11.25}\n{\"lat\":48.6,\"lon\":11.25}\n".utf8), Self.now(1))
        let pushes = Self.pushes(&feed, Self.second)
        let object: JSONObject = [
            "resource": "location:arm", "timestampNanoseconds": 1_000_000_000,
            "location": ["fix": "2d", "latitudeDegrees": 48.6, "longitudeDegrees": 11.25],
        ]
        #expect(pushes.count == 2 && pushes[1] == [.object(object)])
    }

    @Test("a call is never longer than the broker takes")
    func length() throws {
        var feed = Self.feed(.attitude)
        feed.take(try Self.demand(["wanted": true]), 0)
        let line = "-0.12345678901234567,-0.12345678901234567,-0.12345678901234567,-0.12345678901234567\n"
        feed.take(Array(String(repeating: line, count: 200).utf8), Self.now(9_000_000))
        let bytes = feed.push(.max)
        #expect(bytes.map { $0.count < 48 << 10 && $0.last == 0 && !$0.dropLast().contains(0) } == true)
        #expect(feed.push(.max) == nil)
    }

    @Test("a broker that takes nothing makes the oldest samples be dropped, and told")
    func tooSlow() throws {
        var feed = Self.feed()
        feed.take(try Self.demand(["wanted": true]), 0)
        feed.take(Array(String(repeating: "1,2,3\n", count: 5_000).utf8), Self.now(1))
        #expect(Self.pushes(&feed, Self.second).count == 21)
        feed.report()
        let notes = feed.takeNotes()
        #expect(notes.count == 4 && notes[3].hasPrefix("901 more samples like that"))
    }

    @Test("bad lines are reported with their numbers: the first ones, then how many")
    func badLines() throws {
        var feed = Self.feed()
        feed.take(Array("1,2\n1,2,3\nhello\n".utf8), Self.now(1))
        #expect(feed.takeNotes().map { $0.prefix(7) } == ["line 1:", "line 3:"])
        feed.take(try Self.demand(["wanted": true]), 0)
        for _ in 0..<1_000 { feed.take(Array("1,2\n".utf8), Self.now(2)) }
        #expect(feed.takeNotes().count == 1)
        feed.take(Array("1,2\n".utf8), Self.now(60))
        #expect(feed.takeNotes().map { $0.hasPrefix("1000 more lines like that; the last one: line 1004:") } == [true])
        feed.take(Array("1,2".utf8), Self.now(61))
        feed.finish(Self.now(61))
        feed.report()
        #expect(feed.takeNotes().map { $0.prefix(10) } == ["line 1005:"])
        var endless = Self.feed()
        endless.take([UInt8](repeating: 65, count: 2 << 20) + [10], Self.now(1))
        #expect(endless.takeNotes().map { $0.contains("longer than 1 MiB") } == [true])
    }

    @Test("the first line of a serial line may be the end of one")
    func cut() throws {
        var feed = Self.feed(startsAnywhere: true)
        feed.take(try Self.demand(["wanted": true]), 0)
        feed.take(Array(".5,2,3\n4,5,6\n".utf8), Self.now(1))
        #expect(feed.takeNotes().isEmpty)
        let samples = Self.pushes(&feed, Self.second)
        #expect(samples.count == 1 && "\(samples)".contains("4.0") && !"\(samples)".contains("0.5"))
        var named = Self.feed(startsAnywhere: true)
        named.take(try Self.demand(["wanted": true]), 0)
        named.take(Array("z,y,x\n1,2,3\n".utf8), Self.now(1))
        #expect("\(Self.pushes(&named, Self.second))".contains("3.0"))
    }

    @Test("names are read even if nobody wants anything")
    func names() throws {
        var feed = Self.feed()
        feed.take(Array(String(repeating: "1,2,3\n", count: 100).utf8), Self.now(1))
        feed.take(Array("z,y,x\n".utf8), Self.now(2))
        feed.take(try Self.demand(["wanted": true]), 0)
        feed.take(Array("1,2,3\n".utf8), Self.now(3))
        guard case .array(let samples)? = Self.pushes(&feed, .max)[0], case .object(let object) = samples[0],
            case .object(let values) = object["values"]
        else { throw Unexpected() }
        #expect(values["columns"] == ["x": [3.0], "y": [2.0], "z": [1.0]])
    }

    @Test("refusals of the broker and a clock that means nothing here are reported")
    func reports() throws {
        var feed = Self.feed()
        feed.take(try Self.demand(["wanted": true, "refused": ["count": 5, "reason": "impossible values"]]), 0)
        #expect(feed.takeNotes() == ["the broker refused 5 samples: impossible values"])
        feed.take(Array("100,1,2,3\n200,1,2,3\n".utf8), Self.now(1))
        feed.take(Array("300,1,2,3\n".utf8), Self.now(2))
        #expect(feed.takeNotes().map { $0.contains("another clock") } == [true])
        #expect(throws: VarlinkError.self) { try Self.demand([:]) }
    }

    private struct Unexpected: Error {}
}
