import Configuration
import Spool
import Testing
import Varlink

@testable import Fleet

private let epoch = Identity(utcMicroseconds: 1_790_000_000_000_000, random: (1, 2))

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct WireTests {
    @Test("what the broker sent is passed on word by word, without what concerns only its own stream")
    func members() throws {
        let reply: JSONObject = [
            "subscription": "s", "revision": 1, "readings": [["resource": "location", "sequence": 3, "x": 1.5]],
            "gaps": [],
        ]
        let members = try #require(Wire.members(of: reply))
        #expect(text(members) == #""readings":[{"resource":"location","sequence":3,"x":1.5}]"#)
        #expect(
            text(Wire.object(epoch: epoch, number: 7, members: members))
                == #"{"epoch":"\#(epoch)","number":7,"readings":[{"resource":"location","sequence":3,"x":1.5}]}"#)
        #expect(Wire.members(of: ["subscription": "s"]) == nil)
    }

    @Test(
        "a reply that is for consumers alone is handed on as it was written",
        arguments: [
            #""readings":[{"resource":"location","sequence":3,"x":1.50,"y":-0.25e-7,"z":[1,2]}]"#,
            #""readings":[{"resource":"r"}],"gaps":[{"cause":"deviceLost"}]"#,
            #""gaps":[{"simulated":true,"minimum":null}]"#,
        ])
    func handedOn(members: String) {
        let reply = #"{"parameters":{\#(members)},"continues":true}"#
        #expect(Wire.members(handingOn: Array(reply.utf8)).map(text) == members)
    }

    @Test(
        "any other reply is read",
        arguments: [
            #"{"parameters":{"subscription":"s","readings":[{"x":1}]},"continues":true}"#,
            #"{"parameters":{"readings":[]},"continues":true}"#, #"{"parameters":{},"continues":true}"#,
            #"{"parameters":{"readings":[1]}}"#, #"{"parameters":{"readings":[1]},"continues":false}"#,
            #"{"parameters":{"readings":[1]},"continues":true,"error":"x"}"#,
            #"{"parameters":{"readings":[1],"readings":[2]},"continues":true}"#,
            #"{"parameters":{"grants":[{"x":1}]},"continues":true}"#,
            #"{"parameters":{"readings":{"a":1}},"continues":true}"#, #"{"error":"x"}"#, "", "{", "[]",
            #"{"parameters":{"readings":[1}},"continues":true}"#, #"{"parameters":{"readings":[01]},"continues":true}"#,
        ] + ["{\"parameters\":{\"readings\":[\n1]},\"continues\":true}"])
    func read(reply: String) {
        #expect(Wire.members(handingOn: Array(reply.utf8)) == nil)
    }

    @Test("each cause of a loss has its own word")
    func losses() {
        #expect(
            Loss.Cause.allCases.map(\.wire) == [
                "evicted", "expired", "diskFull", "corrupted", "tooLarge", "gone", "diskFailed",
            ])
    }

    @Test("the status has numbers unless the server writes it")
    func status() {
        let streams = [
            StreamStatus(name: "location", last: 9, oldest: 4), StreamStatus(name: "light", last: 0, oldest: nil),
        ]
        #expect(
            text(Wire.status(.online, epoch: epoch, streams: streams))
                == #"{"state":"online","epoch":"\#(epoch)","streams":{"location":{"last":9,"oldest":4},"light":{"last":0}}}"#
        )
        #expect(text(Wire.status(.lost, epoch: epoch, streams: [])) == #"{"state":"lost","epoch":"\#(epoch)"}"#)
    }

    @Test("a request for what is missing is taken only as a whole")
    func requests() {
        func request(_ text: String) -> ResendRequest? { ResendRequest(Array(text.utf8)) }
        let good = #"{"resource":"location","epoch":"\#(epoch)","from":3,"to":9}"#
        #expect(request(good)?.numbers == 3...9)
        for (word, other) in [
            ("3", "0"), ("9", "2"), ("9", "\(Int64.max)"), ("9", "9.5"), ("\"location\"", "7"), ("}", ""),
        ] {
            #expect(request(good.replacingOccurrences(of: word, with: other)) == nil, "\(other)")
        }
        #expect(request(good + String(repeating: " ", count: 2_000)) == nil)
    }

    @Test("objects of a group are lines with consecutive numbers")
    func groups() throws {
        var gathering = Gathering(intervalNanoseconds: 5)
        for index in 0..<3 {
            let isEnough = gathering.add(Array(#""a":\#(index)"#.utf8), to: 4, Int64(index))
            #expect(!isEnough)
        }
        #expect(gathering.deadline == 5)
        let groups = gathering.takeAll()
        let lines = try #require(groups.first).lines(epoch: epoch, number: 10)
        #expect(
            text(lines)
                == (0..<3).map { #"{"epoch":"\#(epoch)","number":\#(10 + $0),"a":\#($0)}"# + "\n" }.joined())
        #expect(gathering.isEmpty && gathering.deadline == nil)
        var isEnough = false
        for _ in 0..<200 where !isEnough { isEnough = gathering.add([UInt8](repeating: 32, count: 2_000), to: 0, 0) }
        #expect(isEnough)
    }
}

extension String {
    fileprivate func replacingOccurrences(of word: String, with other: String) -> String {
        split(separator: word, omittingEmptySubsequences: false).joined(separator: other)
    }
}

/// `ClockWatch` behind a reference, so that an expectation may call it.
private final class Watch {
    private var watch: ClockWatch

    init(sent: Moment) { watch = ClockWatch(sent: sent) }

    func isDue(_ now: Moment) -> Bool { watch.isDue(now) }
}

@Suite struct ClockWatchTests {
    private func moment(_ seconds: Double, stepped: Double = 0) -> Moment {
        let boot = Int64(exactly: (seconds * 1e9).rounded()) ?? 0
        let utc = Int64(exactly: ((seconds + stepped) * 1e6).rounded()) ?? 0
        return Moment(bootNanoseconds: boot, utcMicroseconds: 1_790_000_000_000_000 + utc)
    }

    @Test("a step of more than 100 ms is sent once, in either direction; drift is sent every five minutes")
    func steps() {
        for step in [0.2, -0.2, 86_400, -1e9] {
            let watch = Watch(sent: moment(0))
            #expect(!watch.isDue(moment(10)) && !watch.isDue(moment(20, stepped: 0.09)))
            #expect(watch.isDue(moment(30, stepped: step)))
            #expect(!watch.isDue(moment(40, stepped: step)))
            #expect(watch.isDue(moment(331, stepped: step)))
        }
    }

    @Test("an impossible clock does not end the program")
    func extremes() {
        let watch = Watch(sent: Moment(bootNanoseconds: .min, utcMicroseconds: .max))
        #expect(watch.isDue(Moment(bootNanoseconds: .max, utcMicroseconds: .min)))
    }
}

@Suite struct FleetConfigurationTests {
    private func configured(_ lines: String) throws(ConfigurationErrors) -> Configured<FleetSettings> {
        try Configured([("mqtt.conf", Array(lines.utf8))], for: .bridge)
    }

    private func complaint(_ lines: String) -> String {
        do throws(ConfigurationErrors) {
            _ = try configured(lines)
            return ""
        } catch { return error.all.map(\.description).joined(separator: "\n") }
    }

    private let least = "[Server]\nUrl=mqtts://b.example\n[Readings]\nlocation=1s\n"

    @Test("the least that is needed, and its defaults")
    func defaults() throws {
        let settings = try configured(least).settings
        #expect(settings.server?.description == "mqtts://b.example:8883")
        #expect(settings.readings.map(\.text) == ["1s"])
        #expect((settings.prefix, settings.host, settings.backlogSpeed, settings.order) == ("fleet", "%m", 10, .live))
        #expect(settings.maximumBytes == 512 << 20 && settings.sync.nanoseconds == 5_000_000_000)
    }

    @Test("what --check-config prints is a configuration with the same meaning")
    func printed() throws {
        let all =
            least + "accelerometer=100Hz batch 1s 500ms mean\n[Server]\nCertificate=c\nKey=/k\nAuthority=/a\nUser=u\n"
            + "PasswordFile=p\nVersion=3.1.1\n[Topics]\nPrefix=a/b\nHost=%H\n[Spool]\nMaxBytes=64M\nMaxAgeSec=1d\n"
            + "SyncSec=1s\nKeepAcknowledgedSec=0\nBacklogSpeed=max\nOrder=oldest\n[Control]\nRemoteInterval=on\n"
            + "MinInterval=50Hz\n[HomeAssistant]\nDiscovery=homeassistant\n[OwnTracks]\nTopic=owntracks/fleet/%m\n[Spool]\n"
        let first = try configured(all)
        #expect(try configured(first.text()).settings == first.settings)
        #expect(
            first.text().contains("accelerometer=10ms batch 1s 500ms mean") && first.text().contains("# mqtt.conf:4"))
        #expect(try configured(all + "BacklogSpeed=\nMaxBytes=\n").settings.backlogSpeed == 10)
    }

    @Test(
        "each error has its line and its remedy",
        arguments: [
            ("[Server]\nUrl=https://b\n", "mqtt.conf:2: [Server] Url=https://b: there is neither mqtts:// nor mqtt://"),
            ("[Server]\nUrl=mqtt://b:0\n", "1 to 65535"), ("[Server]\nUrl=mqtt://u@b\n", "User="),
            ("[Server]\nUrl=mqtt:///\n", "no host"), ("[Server]\nAddress=b\n", "[Server] has no 'Address='"),
            ("[Sever]\n", "did you mean [Server]?"), ("[Spool]\nMaxBytes=1K\n", "at least 64K"),
            ("[Spool]\nSyncSec=infinity\n", "finite"), ("[Spool]\nBacklogSpeed=0.1\n", "or max"),
            ("[Spool]\nOrder=newest\n", "write live or oldest"), ("[Topics]\nHost=a/b\n", "'/'"),
            ("[Topics]\nPrefix=a//b\n", "no empty level"), ("[Topics]\nPrefix=a+\n", "'+'"),
            ("[Readings]\nLocation=1s\n", "sensorctl list"), ("[Readings]\nlocation=often\n", "is not an interval"),
            ("[Control]\nRemoteInterval=perhaps\n", "yes or no"), ("[Link]\nDailyBytes=9\n", "at least 64K"),
            ("[Link]\nBundleSec=5min\n", "1s to 30s: the status"), ("[Link]\nBacklogWhenExists=free\n", "a whole path"),
            ("[Control]\nMinInterval=often\n", "is not an interval"),
            ("[OwnTracks]\nTopic=owntracks\n", "three levels"), ("[HomeAssistant]\nDiscovery=a b\n", "no spaces"),
            ("[Readings]\nlocation=1s batch often\n", "batch:"), ("[Server]\nKey=a/b\n", "LoadCredential="),
        ])
    func errors(lines: String, words: String) {
        let complaint = complaint(least + lines)
        #expect(complaint.contains(words) || self.complaint(lines).contains(words), "\(complaint)")
    }

    @Test(
        "what belongs together has to be together",
        arguments: [
            ("[Readings]\nlocation=1s\n", "there is no server"), ("[Server]\nUrl=mqtt://b\n", "nothing to send"),
            ("[Server]\nUrl=mqtts://b\nKey=k\n[Readings]\nlight=0\n", "belong together"),
            ("[Server]\nUrl=mqtt://b\nAuthority=k\n[Readings]\nlight=0\n", "mqtts://"),
            ("[Server]\nUrl=mqtt://b\nPasswordFile=k\n[Readings]\nlight=0\n", "User="),
            ("[Server]\nUrl=mqtt://b\n[Control]\nMinInterval=1s\n[Readings]\nlight=0\n", "RemoteInterval=yes"),
            ("[Server]\nUrl=mqtt://b\n[OwnTracks]\nTopic=a/b/c\n[Readings]\nlight=0\n", "needs locations"),
        ])
    func together(lines: String, words: String) {
        #expect(complaint(lines).contains(words))
    }
}
