import Gpsd
import IIO
import Testing

@testable import sensorbrokerd

@Suite("The daemon's arguments") struct ArgumentsTests {
    @Test("are read in both forms")
    func forms() throws {
        let arguments = try Arguments([
            "--gpsd", "host:1", "--iio=ip:box", "--instance=two", "--runtime-directory", "/tmp/x",
        ])
        #expect(arguments.gpsd?.description == "host:1")
        #expect(arguments.iio?.description == "ip:box")
        #expect(arguments.instance == "two")
        #expect(arguments.runtimeDirectory == "/tmp/x")
        #expect(arguments.action == .serve)
        #expect(!arguments.mock)
    }

    @Test("name a configuration to use or to check")
    func configuration() throws {
        #expect(try Arguments(["--config", "/a"]).configuration == "/a")
        #expect(try Arguments(["--config", "/a"]).action == .serve)
        #expect(try Arguments(["--check-config", "--mock"]).action == .checkConfiguration)
        #expect(try Arguments([]).configuration == nil)
    }

    @Test(
        "are refused with the wrong word",
        arguments: [
            (["--what"], "--what"),
            (["serve"], "serve"),
            (["--gpsd"], "--gpsd"),
            (["--gpsd="], "--gpsd"),
            (["--gpsd", "x:70000"], "70000"),
            (["--iio", "usb:"], "usb:"),
            (["--mock="], "--mock"),
            (["--mock=indoor", "--gpsd", "localhost:2947"], "--mock"),
            (["--check"], "--mock=FILE --check"),
            (["--mock", "--check"], "--mock=FILE --check"),
            (["--speed", "10"], "--speed"),
            (["--mock", "--speed", "0.5"], "0.5"),
            (["--mock", "--speed", "inf"], "inf"),
            (["--mock", "--exec"], "--exec"),
            (["--mock", "--temporary", "--runtime-directory", "/tmp/x"], "--temporary"),
            (["--mock", "--iio", "local:"], "--mock"),
            (["--instance", "../x"], "../x"),
            (["--instance", "Ä"], "Ä"),
            ([""], "''"),
            (["--help=1"], "--help"),
            (["--config"], "--config"),
            (["--check-config=x"], "--check-config"),
        ])
    func refused(words: [String], named: String) {
        #expect { try Arguments(words) } throws: { error in "\(error)".contains(named) }
    }

    @Test("everything after --exec belongs to the command; a scenario is a name or a file")
    func command() throws {
        let arguments = try Arguments(["--mock=indoor", "--speed=max", "--exec", "pytest", "--mock", "-x"])
        #expect(arguments.scenario == "indoor")
        #expect(arguments.tempo == .infinity)
        #expect(arguments.command == ["pytest", "--mock", "-x"])
        #expect(try Arguments(["--mock"]).scenario == nil)
        #expect(try Arguments(["--mock=a/b.scenario", "--check"]).action == .checkScenario)
        #expect(try Arguments(["--mock", "--temporary", "--speed", "2.5"]).tempo == 2.5)
    }
}
