import Devices
import Glibc
import Platform
import Readings
import Testing

@testable import Gpsd

/// The driver against a scripted gpsd.
@Suite struct GpsdDeviceTests {
    private static let watched: [FakeGpsd.Step] = [
        .receiveLines(1), .send(FakeGpsd.greeting),
        .send(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x","driver":"u-blox"}]}"# + "\n"),
    ]

    private static func tpv(_ second: Int, mode: Int = 3) -> String {
        let seconds = second < 10 ? "0\(second)" : "\(second)"
        return #"{"class":"TPV","device":"/dev/x","mode":\#(mode),"time":"2020-01-01T00:00:\#(seconds).000Z","#
            + #""lat":50.5,"lon":10.5}"# + "\n"
    }

    @Test("probing reads the greeting, asks for the receivers and watches none", arguments: ["127.0.0.1", "localhost"])
    func probe(_ host: String) throws {
        let gpsd = try FakeGpsd([.send(FakeGpsd.greeting), .waitForEnd], [.send("HTTP/1.1 400\r\n\r\n")])
        let address = try GpsdAddress(parsing: "\(host):\(gpsd.port)")
        var device = GpsdDevice(address)
        let profile = try device.probe()
        #expect(profile.offered == .fixed(shortestNanoseconds: 50_000_000))
        #expect(profile.intervalNanoseconds == nil)
        #expect(profile.description == "gpsd 3.22 at \(address)")
        #expect(gpsd.receivedLines.allSatisfy { $0 == "?DEVICES;" })
        let fault = #expect(throws: DeviceFault.self) { try device.probe() }
        #expect(fault?.kind == .lost)
    }

    @Test("probing finds each of several receivers, and notices that the followed one is missing")
    func probeReceivers() throws {
        let entries = ["a", "b"].map { #"{"class":"DEVICE","path":"/dev/\#($0)"}"# }
        let list = #"{"class":"DEVICES","devices":[\#(entries.joined(separator: ","))]}"#
        // At once, since a list is waited for no longer than half a second.
        let script: [FakeGpsd.Step] = [.send(FakeGpsd.greeting + list + "\n"), .receiveLines(1), .waitForEnd]
        let gpsd = try FakeGpsd(script, script, script)
        let address = try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")
        let found = Shared<[String]>([])
        var device = GpsdDevice(address) { path in found.change { $0.append(path) } }
        _ = try device.probe()
        #expect(found.value == ["/dev/a", "/dev/b"])
        var pinned = GpsdDevice(address, receiver: "/dev/b")
        let profile = try pinned.probe()
        #expect(profile.description == "gpsd 3.22 at \(address), /dev/b")
        var absent = GpsdDevice(address, receiver: "/dev/c")
        let fault = #expect(throws: DeviceFault.self) { try absent.probe() }
        #expect(fault?.kind == .missing)
        #expect(fault?.description.contains("no receiver /dev/c") == true)
    }

    @Test("a greeting that has come in time counts, however late this thread is")
    func late() throws {
        let script: [FakeGpsd.Step] = [.send(FakeGpsd.greeting), .waitForEnd]
        let gpsd = try FakeGpsd(script, [.send("SSH-2.0\r\n"), .waitForEnd])
        let address = try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")
        func greeting() throws -> Greeting {
            var session = try GpsdSession()
            try session.connect(to: address.resolved(), of: address)
            let hasCome = session.wait(milliseconds: 60_000)
            #expect(hasCome)
            return try Greeting.await(on: &session, of: address, withinNanoseconds: 0)
        }
        #expect(try greeting().release == "3.22")
        let fault = #expect(throws: DeviceFault.self) { try greeting() }
        #expect(fault?.description.contains("which program listens") == true)
    }

    @Test("names of gpsd and its receivers cannot control a terminal")
    func words() throws {
        let greeting = #"{"class":"VERSION","release":"3\u001b[2J","rev":"3","proto_major":3,"proto_minor":14}"# + "\n"
        let list = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/\u001b[2J"}]}"#
        let script: [FakeGpsd.Step] = [.send(greeting + list + "\n"), .receiveLines(1), .waitForEnd]
        let gpsd = try FakeGpsd(script, script)
        let address = try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")
        var present = GpsdDevice(address, receiver: "/dev/\u{1b}[2J")
        let description = try present.probe().description
        #expect(description == "gpsd 3\\u001b[2J at \(address), /dev/\\u001b[2J")
        #expect(Receiver(path: "/dev/\u{7f}", driver: "\u{9b}x").words == "/dev/\\u007f (\\u009bx)")
        var absent = GpsdDevice(address, receiver: "/dev/\u{1b}[3J")
        let fault = #expect(throws: DeviceFault.self) { try absent.probe() }
        #expect(fault?.description.contains("no receiver /dev/\\u001b[3J") == true)
    }

    @Test("epochs that a busy host reads at once have distinct timestamps, in order")
    func atOnce() throws {
        let gpsd = try FakeGpsd(Self.watched + [.send((1...4).map { Self.tpv($0) }.joined()), .waitForEnd])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let came = try loop.run { $0.locations.count >= 4 }
        #expect(came)
        let stamps = loop.samples.map(\.timestamp)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
        loop.device.close()
    }

    @Test(
        "a peer without gpsd's greeting is a gpsd that hangs, if it sends nothing, and else another program",
        arguments: [([], "restart gpsd"), ([.send("SSH-2.0\r\n")], "which program listens")]
            as [([FakeGpsd.Step], String)])
    func silent(script: [FakeGpsd.Step], remedy: String) throws {
        let gpsd = try FakeGpsd(script + [.waitForEnd])
        var device = GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)"))
        let fault = #expect(throws: DeviceFault.self) { try device.probe() }
        #expect(fault?.kind == .failed)
        #expect(fault?.description.contains("gpsd's greeting") == true)
        #expect(fault?.description.contains(remedy) == true)
    }

    @Test("a gpsd that hangs is to be restarted when no connection waits any more, too")
    func full() throws {
        let (listener, port) = try Loopback.listen(backlog: 0)
        defer { close(listener) }
        // A queue of length 0 holds one.
        let waiting = try Loopback.connect(port: port)
        defer { close(waiting) }
        var device = GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(port)"))
        let fault = #expect(throws: DeviceFault.self) { try device.probe() }
        #expect(fault?.kind == .failed && fault?.description.hasSuffix("restart gpsd") == true)
    }

    @Test("if nothing listens the error has a remedy, and closing is harmless")
    func nobody() throws {
        let port = try Loopback.freePort()
        var device = GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(port)"))
        for _ in 0..<3 {
            let fault = #expect(throws: DeviceFault.self) { try device.open(Demand(intervalNanoseconds: nil)) }
            #expect(fault?.kind == .missing)
            #expect(fault?.description.contains("no gpsd at 127.0.0.1:\(port)") == true)
            #expect(fault?.description.contains("--gpsd HOST:PORT") == true)
            device.close()
        }
        var intake = Intake()
        #expect(throws: DeviceFault.self) { try device.read(into: &intake) }
    }

    @Test("readings arrive, and the profile has receiver and interval once they are known")
    func readings() throws {
        let sky =
            #"{"class":"SKY","device":"/dev/x","nSat":1,"uSat":1,"satellites":[{"PRN":1,"el":1,"az":1,"ss":1,"used":true}]}"#
            + "\n"
        let tpvs = (0..<5).map { FakeGpsd.Step.send(Self.tpv($0)) }
        let gpsd = try FakeGpsd(Self.watched + [.send(sky)] + tpvs + [.waitForEnd])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "localhost:\(gpsd.port)")))
        let opened = try loop.device.open(Demand(intervalNanoseconds: nil))
        #expect(opened.description == "gpsd at localhost:\(gpsd.port)")
        let done = try loop.run { $0.samples.count == 5 }
        #expect(done)
        let locations = loop.locations
        let seconds: [Int64?] = (0..<5).map { 1_577_836_800_000_000 + $0 * 1_000_000 }
        #expect(locations.map(\.utcMicroseconds) == seconds)
        #expect(locations.allSatisfy { $0.latitudeDegrees == 50.5 && $0.satellitesUsed == 1 })
        #expect(loop.samples.map(\.sequence) == [0, 1, 2, 3, 4])
        let profile = loop.profiles.last
        #expect(profile?.intervalNanoseconds == 1_000_000_000)
        #expect(profile?.description == "gpsd 3.22 at localhost:\(gpsd.port), /dev/x (u-blox)")
        loop.device.close()
        #expect(gpsd.receivedLines.first?.hasPrefix(#"?WATCH={"enable":true,"json":true"#) == true)
    }

    @Test("half a line wakes the thread once and then costs nothing, until its other half comes")
    func halfALine() throws {
        let tpv = Self.tpv(1)
        let gpsd = try FakeGpsd([
            .receiveLines(1), .send(String(tpv.prefix(40))), .waitForTest, .send(String(tpv.dropFirst(40))),
            .waitForEnd,
        ])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let woken = try loop.run { $0.wakeUps == 1 }
        #expect(woken)
        let more = try loop.run(limitSeconds: 1) { $0.wakeUps > 1 }
        #expect(!more)
        let readiness = loop.device.readiness
        guard case .descriptor(_, orAt: nil) = readiness else {
            Issue.record("half a line sets no deadline: \(readiness)")
            return
        }
        gpsd.proceed()
        let done = try loop.run { $0.samples.count == 1 }
        #expect(done)
        #expect(loop.wakeUps <= 3)
    }

    @Test("the end of gpsd is reported once, after its last reports, and the device can be opened again")
    func endAndRestart() throws {
        let gpsd = try FakeGpsd(Self.watched + [.send(Self.tpv(1))], Self.watched + [.send(Self.tpv(2)), .waitForEnd])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        do throws(DeviceFault) {
            _ = try loop.run { _ in false }
            Issue.record("a closed connection is a fault")
        } catch {
            #expect(error.kind == .lost)
            #expect(error.description.contains("closed the connection"))
        }
        #expect(loop.samples.count == 1)
        loop.device.close()
        loop.device.close()
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let done = try loop.run { $0.samples.count == 2 }
        #expect(done)
        #expect(loop.locations.last?.utcMicroseconds == 1_577_836_802_000_000)
    }

    @Test("a reset is a loss with its errno")
    func reset() throws {
        let gpsd = try FakeGpsd([.receiveLines(1), .waitForTest, .reset])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        gpsd.proceed()
        do throws(DeviceFault) {
            _ = try loop.run { _ in false }
            Issue.record("a reset is a fault")
        } catch {
            #expect(error.kind == .lost)
            #expect(error.cause?.code == 104)
        }
        loop.device.close()
    }

    @Test("a line without end is a loss, garbage and a list of five receivers are not")
    func hostile() throws {
        let five = (1...5).map { #"{"class":"DEVICE","path":"/dev/tty\#($0)"}"# }.joined(separator: ",")
        let garbage =
            "\u{1}\u{2}\n}{\n" + #"{"class":"TPV","mode":[[[["# + "\n" + #"{"class":"DEVICES","devices":[\#(five)]}"#
            + "\n"
        let gpsd = try FakeGpsd([
            .receiveLines(1), .send(garbage), .send(Self.tpv(1)), .waitForTest,
            .send(String(repeating: "x", count: 100_000)), .waitForEnd,
        ])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let done = try loop.run { $0.locations.contains { $0.fix == .threeDimensional } }
        #expect(done)
        gpsd.proceed()
        let fault = #expect(throws: DeviceFault.self) { try loop.run { _ in false } }
        #expect(fault?.kind == .lost)
        #expect(fault?.description.contains("65536 bytes") == true)
        loop.device.close()
    }

    @Test("the lack of a receiver is reported, and gpsd is probed for one before reports are requested again")
    func noReceiver() throws {
        func list(_ entries: String) -> FakeGpsd.Step { .send(#"{"class":"DEVICES","devices":[\#(entries)]}"# + "\n") }
        let one = list(#"{"class":"DEVICE","path":"/dev/x"}"#)
        let gpsd = try FakeGpsd(
            [.receiveLines(1), .send(FakeGpsd.greeting), list(""), .waitForEnd],
            [.send(FakeGpsd.greeting), .receiveLines(1), list(""), .waitForEnd],
            [.send(FakeGpsd.greeting), .receiveLines(1), one, .waitForEnd],
            [.receiveLines(1), .send(FakeGpsd.greeting), one, .send(Self.tpv(1)), .waitForEnd])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let lack = #expect(throws: DeviceFault.self) { try loop.run { _ in false } }
        #expect(lack?.kind == .missing)
        #expect(lack?.description.contains("no receiver: plug one in") == true)
        let still = #expect(throws: DeviceFault.self) { try loop.device.open(Demand(intervalNanoseconds: nil)) }
        #expect(still?.kind == .missing)
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let done = try loop.run { $0.samples.count == 1 }
        #expect(done)
        loop.device.close()
        let watches = gpsd.receivedLines.map { $0.hasPrefix(#"?WATCH={"enable":true"#) }
        #expect(watches.prefix(1) == [true] && watches.count { $0 } == 2)
    }

    @Test("a receiver that gpsd lost is reported as a loss with its name")
    func receiverGone() throws {
        let gone = #"{"class":"DEVICE","path":"/dev/x","activated":0}"# + "\n"
        let gpsd = try FakeGpsd(Self.watched + [.send(Self.tpv(1)), .send(gone), .waitForEnd])
        var loop = DeviceLoop(GpsdDevice(try GpsdAddress(parsing: "127.0.0.1:\(gpsd.port)")))
        _ = try loop.device.open(Demand(intervalNanoseconds: nil))
        let fault = #expect(throws: DeviceFault.self) { try loop.run { _ in false } }
        #expect(fault?.kind == .lost)
        #expect(fault?.description.contains("/dev/x") == true)
        #expect(loop.samples.count == 1)
        loop.device.close()
    }
}
