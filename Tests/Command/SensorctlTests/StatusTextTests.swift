import Testing
import Varlink

@testable import sensorctl

@Suite struct StatusTextTests {
    private static let answer: JSONObject = [
        "version": "0.1.0", "processId": 7, "startedNanoseconds": 0,
        "devices": [
            [
                "resource": "location", "state": "active", "subscribers": 1, "lanes": 1, "samples": 9,
                "deviceIntervalNanoseconds": 1_000_000_000, "opens": 1, "reuses": 0, "evictions": 0, "faults": 0,
            ],
            [
                "resource": "accelerometer", "state": "unavailable", "subscribers": 2, "lanes": 2,
                "samples": 123_456_789, "opens": 3, "reuses": 1, "evictions": 2, "faults": 4,
                "lastFault": "it was un\u{1B}plugged",
            ],
        ],
        "clients": [
            [
                "id": 9, "processId": 4242, "userId": 1000, "connectedNanoseconds": 60_000_000_000,
                "subscription": "0f6d63758da53409f522500206f6dfd2", "queuedBytes": 512, "deliveredReadings": 1_234_666,
                "lostReadings": 22,
                "resources": [
                    [
                        "resource": "location", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 0,
                        "filter": "newest", "minimumChange": 5.0, "deliveredReadings": 99, "lostReadings": 0,
                        "lost": [:],
                    ],
                    [
                        "resource": "accelerometer", "intervalNanoseconds": 20_000_000,
                        "batchNanoseconds": 1_000_000_000, "filter": "mean", "deliveredReadings": 1_234_567,
                        "lostReadings": 22, "lost": ["deviceOverflow": 3, "slowClient": 12, "restarted": 7],
                    ],
                ],
            ],
            [
                "id": 10, "processId": 55, "userId": 1000, "connectedNanoseconds": 0, "queuedBytes": 0,
                "deliveredReadings": 0, "lostReadings": 0, "resources": [],
            ],
            [
                "id": 11, "processId": 4243, "userId": 0, "connectedNanoseconds": 1_000_000_000,
                "subscription": "00", "queuedBytes": 0, "deliveredReadings": 5, "lostReadings": 0,
                "resources": [
                    [
                        "resource": "accelerometer", "intervalNanoseconds": 0, "batchNanoseconds": 0,
                        "filter": "newest", "deliveredReadings": 5, "lostReadings": 0, "lost": [:],
                    ]
                ],
            ],
        ],
    ]

    private static let names = AccountNames(
        process: { [4242: "python3", 4243: "sens\u{07}or"][$0] }, user: { [1000: "alice"][$0] })

    private func text(
        _ answer: JSONObject = Self.answer, reasons: [String: String] = ["accelerometer": "connect it again"]
    ) throws -> StatusText {
        StatusText(
            status: try BrokerStatus(Parameters(answer), askedBy: 55), reasons: reasons, names: Self.names,
            clock: WallClock(bootRealtimeNanoseconds: Examples.clock.bootRealtimeNanoseconds, isUTC: true),
            style: Style(isOn: false))
    }

    @Test("devices come first, then clients with a line for each resource, without the asking one")
    func lines() throws {
        let lines = try text().lines(nowNanoseconds: 90_000_000_000)
        #expect(
            lines == [
                "sensorbrokerd 0.1.0, process 7, running for 1min 30s", "",
                "DEVICE         STATE        CLIENTS  INTERVAL    SAMPLES  FAULTS",
                "accelerometer  unavailable        2            123456789       4",
                "  connect it again",
                "location       active             1       1 s          9       0", "",
                "CLIENT           INTERVAL  BATCH  FILTER  DELIVERED  LOST",
                "python3 (process 4242) of alice, since 2026-11-21 12:01:00Z",
                "  subscription 0f6d63758da53409f522500206f6dfd2, 512 bytes queued",
                "  accelerometer     20 ms    1 s  mean      1234567    22",
                "    lost: 12 read too slowly, 7 broker restarted, 3 overflow of the device",
                "  location            1 s         newest         99     0", "    minimum change 5",
                "sens\\u0007or (process 4243) of user 0, since 2026-11-21 12:00:01Z", "  subscription 00",
                "  accelerometer       all         newest          5     0",
            ])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("a long reason is wrapped; without a reason the last fault is shown")
    func reasons() throws {
        let reason = Array(repeating: "word", count: 40).joined(separator: " ")
        let lines = try text(reasons: ["accelerometer": reason]).lines(nowNanoseconds: 0)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.joined(separator: " ").split(separator: " ").filter { $0 == "word" }.count == 40)
        #expect(try text(reasons: [:]).lines(nowNanoseconds: 0)[4] == "  it was un\\u001bplugged")
    }

    @Test("a wide line is complete by itself")
    func wide() throws {
        let lines = try text().wideLines(nowNanoseconds: 0)
        #expect(lines.count == 10)
        #expect(lines.last?.hasPrefix("sens\\u0007or     4243  user 0  2026-11-21 12:00:01Z ") == true)
        let line = try #require(lines.first { $0.contains("20 ms") })
        for piece in ["python3", "4242", "alice", "accelerometer", "1 s", "mean", "1234567", "slowClient 12", "0f6d6"] {
            #expect(line.contains(piece))
        }
    }

    @Test("json has the whole reply, with the names of processes and users")
    func json() throws {
        let status = try BrokerStatus(Parameters(Self.answer), askedBy: 55)
        let object = StatusCommand.object(Self.answer, status, Self.names)
        guard case .array(let clients)? = object["clients"], case .object(let first)? = clients.first else {
            Issue.record("no clients")
            return
        }
        #expect(clients.count == 2)
        #expect(first["processName"] == "python3" && first["userName"] == "alice")
        #expect(first["resources"] == status.clients[0].object["resources"])
        #expect(object["devices"] == Self.answer["devices"])
    }

    @Test("a broker without clients says so")
    func empty() throws {
        let answer: JSONObject = [
            "version": "0", "processId": 1, "startedNanoseconds": 0, "devices": [], "clients": [],
        ]
        #expect(try text(answer).lines(nowNanoseconds: 0).last == "no clients")
        #expect(try text(answer).wideLines(nowNanoseconds: 0).last == "no clients")
    }
}
