import BrokerClient
import Foundation
import Testing
import Varlink

@testable import sensorctl

@Suite("sensorctl top") struct TopModelTests {
    @Test("shows resources with their own rates, and clients with what they asked for and get")
    func overview() throws {
        let lines = try TopFixture.model().lines()
        #expect(lines[0].hasPrefix(" sensorbrokerd 0.1.0 · up 2s · 1 of 2 active · 2 clients"))
        #expect(lines[0].hasSuffix(" 00:00:02"))
        #expect(lines[1] == "RESOURCE▼     STATE         RATE  JITTER USE VALUE                  NOW")
        #expect(lines[2] == "accelerometer active    100.0 Hz 0.00 µs   2 +0.00 +0.00 +9.81 m/s² (    ●    )")
        #expect(lines[3].hasPrefix("light         unavail…                     0 no \\u001b[2Jdriver"))
        #expect(lines[5] == "CLIENT▼            PID RESOURCE         REQUEST   GRANT      GETS  LOST     LAG")
        #expect(lines[6] == "\\u001b]0;evil…       2 accelerometer      usual   20 ms  25.00 Hz    12  400 ms")
        #expect(lines[7] == "navigator            1 accelerometer      15 ms   20 ms  50.00 Hz     0       0")
        #expect(lines[8].hasPrefix("sensorctl           99 accelerometer"))
        #expect(lines.last?.contains("q quit") == true)
    }

    @Test(
        "fits into 60 columns, and into any terminal, down to nothing",
        arguments: [(60, 24), (60, 9), (20, 5), (1, 1), (0, 0), (300, 3)])
    func sizes(width: Int, height: Int) throws {
        for page in [TopView.Page.overview, .resource("accelerometer"), .resource("light"), .resource("gone"), .help] {
            let canvas = try TopFixture.model(page: page).canvas(
                width: width, height: height, nowNanoseconds: 2 * TopFixture.second)
            #expect(canvas.lines.count == height && canvas.lines.allSatisfy { TerminalText.width($0) <= width })
        }
        let narrow = try TopFixture.model().lines(width: 60)
        #expect(narrow[2].contains("active    100.0 Hz +0.000 +0.000 +9.810 m/s²"))
        #expect(narrow[7].contains("20 ms  50.00 Hz     0       0"))
    }

    @Test("leaves out of a narrow title whole facts, and of a question never the answers", arguments: [60, 50, 40])
    func narrow(width: Int) throws {
        var model = try TopFixture.model()
        func facts(_ width: Int) -> Set<String> {
            Set(model.lines(width: width)[0].components(separatedBy: "  ")[0].components(separatedBy: " · "))
        }
        #expect(facts(width).isSubset(of: facts(200)) && facts(width).count >= 2)
        _ = model.type("r")
        let question = model.lines(width: width).last ?? ""
        #expect(question.hasPrefix(" Release acc") && question.hasSuffix("… y: yes, any other key: no"), "\(question)")
    }

    @Test("sorts by any column, either way round; itself stays the last")
    func sorting() throws {
        var model = try TopFixture.model()
        _ = model.type([.tab])
        func order() -> [String] {
            model.lines()[6...8].map { String($0.prefix { $0 != " " }) }
        }
        #expect(order() == ["\\u001b]0;evil…", "navigator", "sensorctl"])
        _ = model.type("i")
        #expect(order() == ["navigator", "\\u001b]0;evil…", "sensorctl"])
        for _ in 0..<8 { _ = model.type("s") }
        // By another column, until the one with the fastest client first is reached.
        var orders: Set<[String]> = []
        for _ in 0..<8 {
            orders.insert(order())
            _ = model.type([.right])
        }
        #expect(
            orders == [["\\u001b]0;evil…", "navigator", "sensorctl"], ["navigator", "\\u001b]0;evil…", "sensorctl"]])
    }

    @Test("filters while one types, until Esc")
    func filtering() throws {
        var model = try TopFixture.model()
        _ = model.type("/NAV")
        #expect(model.lines().contains { $0.hasPrefix("navigator") } && !model.lines().contains { $0.contains("evil") })
        #expect(model.lines().last?.hasPrefix(" Filter: NAV_") == true)
        // Keys are text as long as the filter is typed.
        #expect(model.type("q") == nil)
        _ = model.type([.backspace, .enter])
        #expect(model.lines().last?.hasSuffix("filter: NAV") == true)
        _ = model.type([.escape])
        #expect(model.lines().contains { $0.contains("evil") })
    }

    @Test("stands still while it is paused, and goes on with what is new")
    func pausing() throws {
        var model = try TopFixture.model()
        _ = model.type("p")
        let before = model.lines()
        #expect(before[0].hasSuffix(" PAUSED"))
        let update = try TopFixture.axes(9.81, 0, 0, sequence: 500, at: 2 * TopFixture.second)
        model.data.take(update)
        #expect(model.lines(at: 3 * TopFixture.second) == before)
        _ = model.type("p")
        #expect(model.lines()[2].contains("+9.81 +0.00 +0.00"))
    }

    @Test("opens the page of the selected resource, or of the selected client's one, and goes back")
    func pages() throws {
        var model = try TopFixture.model()
        _ = model.type([.down, .enter])
        #expect(model.view.open == "light" && model.lines()[1].hasPrefix(" light  unavailable: no \\u001b[2Jdriver"))
        _ = model.type([.down])
        #expect(model.view.open == "accelerometer")
        _ = model.type([.escape, .tab, .enter])
        #expect(model.view.open == "accelerometer")
        _ = model.type("?")
        #expect(model.lines().contains { $0.contains("disconnect the selected client") })
        _ = model.type("x")
        #expect(model.lines()[1].hasPrefix(" accelerometer  active"))
        _ = model.type([.escape])
        #expect(model.view.open == nil)
    }

    @Test("draws no line across a gap, however long ago the last value came", arguments: [59, 70, 79])
    func gapInCurve(now: Int64) {
        var history = History()
        for step in 0..<60 as Range<Int64> {
            if step == 30 { history.interrupt() }
            history.take(SIMD4(step < 30 ? 0 : 1, 0, 0, 0), atNanoseconds: step * TopFixture.second)
        }
        var canvas = Canvas(width: 71, height: 9)
        ValuePlot(title: "x", unit: "", decimals: 1, look: .plain, history: history) { $0[0] }
            .draw(on: &canvas, 0, 0, width: 71, height: 9, nowNanoseconds: now * TopFixture.second)
        let middle = canvas.lines[3...6].joined()
        #expect(!middle.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) }, "\(canvas.lines)")
    }

    @Test("draws a curve for each axis, and a level")
    func curves() throws {
        let lines = try TopFixture.model(page: .resource("accelerometer")).lines(width: 80, height: 24)
        #expect(lines[2].contains("100.0 Hz · jitter 0.00 µs · 100 ms old · 200 samples"))
        #expect(lines[3].hasPrefix(" x     +0.000 m/s²") && lines.contains { $0.hasPrefix(" z     +9.810 m/s²") })
        #expect(lines.contains { $0.contains("x +0.0°  y +0.0°") })
        #expect(lines.contains { $0.contains("-60 s") && $0.contains("now") })
        #expect(lines.joined().unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
    }

    @Test("draws an artificial horizon of a rotation, and a compass of a heading")
    func gauges() throws {
        func lines(_ kind: String, _ names: [String], _ numbers: [Double]) throws -> [String] {
            var data = TopData(ownProcess: TopFixture.own, names: TopFixture.names)
            data.take([try TopFixture.resource(kind, kind: kind, channels: names)])
            data.take(try TopFixture.grant(kind))
            let columns = JSONObject(zip(names, numbers).map { ($0, .array([.number($1)])) })
            let reading: JSONValue = [
                "resource": .string(kind), "sequence": 0, "timestampNanoseconds": .integer(TopFixture.second),
                "values": ["columns": .object(columns)],
            ]
            data.take(try Update(Parameters(["readings": [reading]])))
            let model = TopModel(
                data, TopView(page: .resource(kind)), WallClock(bootRealtimeNanoseconds: 0, isUTC: true))
            return model.lines(width: 80, height: 24)
        }
        let half = 0.5.squareRoot()
        // On its back, and its top edge points east.
        let flat = try lines("rotation", ["x", "y", "z", "w"], [0, 0, -half, half])
        #expect(flat.contains { $0.contains("pitch +0°  roll +0°") } && flat.contains { $0.contains("90° E") })
        // Upright it looks along its back; an attitude knows no north.
        let upright = try lines("attitude", ["x", "y", "z", "w"], [half, 0, 0, half])
        #expect(upright.contains { $0.contains("pitch +0°  roll +0°") } && !upright.contains { $0.contains("° N") })
        let heading = try lines("heading", ["value"], [225])
        #expect(heading.contains { $0.contains("225° SW") })
        let north = try lines("heading", ["value"], [359.7])
        #expect(north.contains { $0.contains("0° N") } && !north.contains { $0.contains("360°") })
    }

    @Test("asks before it releases, takes back or disconnects, and does it if one says yes only")
    func deeds() throws {
        var model = try TopFixture.model()
        #expect(model.type("r") == nil)
        #expect(model.lines().last?.contains("Release accelerometer") == true)
        #expect(model.type("n") == nil && model.lines().last == " Nothing was done.")
        #expect(model.type("ry") == .release("accelerometer"))
        #expect(model.type("ay") == .reacquire("accelerometer"))
        #expect(model.type("d") == nil && model.lines().last?.contains("Select a client first") == true)
        _ = model.type([.tab, .down])
        #expect(model.type("d") == nil && model.lines().last?.contains("Disconnect navigator (process 1)?") == true)
        #expect(model.type("y") == .disconnect(5))
        _ = model.type([.end])
        #expect(model.type("dy") == nil)
        #expect(model.type("q") == .quit)
    }

    @Test("says so if the user may not see clients, and does nothing that only administrators may")
    func rights() throws {
        var model = try TopFixture.model()
        model.data.hideClients("ask your administrator")
        #expect(model.lines().contains("ask your administrator"))
        #expect(model.type("r") == nil && model.lines().last?.contains("administrator") == true)
        #expect(model.type("y") == nil)
    }

    @Test("says that the broker has gone, keeps what was last known, and goes on when it is back")
    func loss() throws {
        var model = try TopFixture.model()
        model.data.lose("the broker has gone away")
        #expect(model.lines()[0].hasPrefix(" the broker has gone away"))
        #expect(model.lines()[2].contains("+9.81 m/s²"))
        let idle = try TopFixture.accelerometer(state: "idle")
        model.data.take([idle])
        #expect(model.lines()[0].contains("0 of 1 active"))
    }

    @Test("asks for few readings, no faster than a running device, and for more on a resource's own page")
    func requests() throws {
        var resource = TopResource(try TopFixture.accelerometer())
        #expect(resource.request(isOpen: false).intervalNanoseconds == 100_000_000)
        #expect(resource.request(isOpen: true).intervalNanoseconds == 20_000_000)
        let slow = JSONObject(
            resource.info.object.members.map {
                ($0.key, $0.key == "deviceIntervalNanoseconds" ? 1_000_000_000 : $0.value)
            })
        resource.take(try Resource(Parameters(slow)))
        #expect(resource.request(isOpen: false).intervalNanoseconds == 1_000_000_000)
    }

    @Test("gives each table what it wants, or half of the room")
    func sharing() {
        #expect(TopPages.share(20, 5, 8) == (5, 15))
        #expect(TopPages.share(20, 30, 8) == (12, 8))
        #expect(TopPages.share(20, 8, 50) == (8, 12))
        #expect(TopPages.share(20, 50, 50) == (10, 10))
        #expect(TopPages.share(-3, 5, 5).upper == 0)
    }

    @Test("the status of many clients is asked for less often, but often enough to be looked at")
    func pauses() {
        let pauses = [0, 1, 25, 50, 125, 4_000].map { TopBroker.statusPause(clients: $0) / 1_000_000 }
        #expect(pauses == [1_000, 1_000, 1_000, 2_000, 5_000, 5_000])
    }
}
