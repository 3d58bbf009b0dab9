import Testing

@testable import sensorbroker_desktop

/// What a process leaves for the one after it.
@Suite("Notes of claims") struct ClaimNotesTests {
    private static let bus = "0123456789abcdef0123456789abcdef"

    @Test("are read back as they were written, by the process that is on the same bus")
    func roundTrip() {
        var notes = ClaimNotes()
        notes.claims = [":1.7": [.accelerometer, .light], ":1.20": [.compass]]
        #expect(ClaimNotes(notes.text(ofBus: Self.bus), ofBus: Self.bus) == notes)
        #expect(ClaimNotes(notes.text(ofBus: Self.bus), ofBus: "another") == ClaimNotes())
        #expect(ClaimNotes(ClaimNotes().text(ofBus: Self.bus), ofBus: Self.bus) == ClaimNotes())
    }

    @Test(
        "without what is no claim",
        arguments: [
            "", "\n", ":1.7 Light", "\(bus)", "\(bus)\n:1.7", "\(bus)\n:1.7\n", "\(bus)\n:1.7 Nothing\n",
            "\(bus)\nname Light\n", "\(bus)\n\n \n", "\(bus)\n:1.7 Ligh", "\u{0}\n:1.7 Light\n",
        ])
    func nonsense(text: String) { #expect(ClaimNotes(text, ofBus: Self.bus) == ClaimNotes()) }

    @Test("are made once for all that has changed, before anybody is answered")
    func order() throws {
        var proxy = try SensorProxy.ofTablet(without: "light")
        proxy.claim(.light, by: ":1", of: seat, 1, now: 0)
        proxy.claim(.proximity, by: ":1", of: seat, 2, now: 0)
        #expect(proxy.takeEffects() == [.noteClaims, .answer(1), .subscribe(.proximity)])
        #expect(proxy.notes.claims == [":1": [.light, .proximity]])
        proxy.claim(.light, by: ":1", of: seat, 3, now: 0)
        #expect(proxy.takeEffects() == [.answer(3)], "it had claimed it")
        proxy.forget(":1", now: 0)
        #expect(proxy.takeEffects().first == .noteClaims && proxy.notes == ClaimNotes())
    }

    @Test("restore claims, which are then like any other")
    func restored() throws {
        var proxy = SensorProxy(now: 0)
        proxy.restore(.accelerometer, by: ":1", of: seat)
        #expect(proxy.takeActs() == [])
        proxy.take(try tablet())
        #expect(proxy.takeActs().contains(.subscribe(.accelerometer)))
        #expect(
            proxy.taking(try orientation("left-up"), for: .accelerometer).contains { $0.announces([":1"], "left-up") })
        proxy.forget(":1", now: 0)
        #expect(proxy.expiring(at: second) == [.unsubscribe(.accelerometer)])
    }

    @Test("have the first values announced that are measured, whatever they are: the program may remember others")
    func firstValues() throws {
        var proxy = try SensorProxy.ofTablet()
        proxy.restore(.proximity, by: ":1", of: seat)
        _ = proxy.claiming(.proximity, by: ":2", 1)
        let far = Property(name: "ProximityNear", value: .flag(false))
        let first = proxy.taking(try values("proximity", [("value", 0)]), for: .proximity)
        #expect(first == [.announce(.sensors, [far], to: [":1"]), .answer(1)])
        #expect(proxy.taking(try values("proximity", [("value", 0)]), for: .proximity) == [])
    }
}

extension SensorProxy.Effect {
    fileprivate func announces(_ receivers: [String], _ word: String) -> Bool {
        guard case .announce(_, let properties, to: let receiving) = self else { return false }
        return receiving == receivers && properties.contains { $0.value == .text(word) }
    }
}
