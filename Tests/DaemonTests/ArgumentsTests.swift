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

    @Test("name a configuration to serve by, or to check")
    func configuration() throws {
        #expect(try Arguments(["--config", "/a"]).configuration == "/a")
        #expect(try Arguments(["--config", "/a"]).action == .serve)
        #expect(try Arguments(["--check-config", "--mock"]).action == .checkConfiguration)
        #expect(try Arguments([]).configuration == nil)
    }

    @Test(
        "are refused where they cannot be understood, naming the word",
        arguments: [
            (["--what"], "--what"),
            (["serve"], "serve"),
            (["--gpsd"], "--gpsd"),
            (["--gpsd="], "--gpsd"),
            (["--gpsd", "x:70000"], "70000"),
            (["--iio", "usb:"], "usb:"),
            (["--mock=city"], "--mock"),
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
}
