import Programs
import Testing

@testable import sensorbroker_mqtt

@Suite struct BridgeArgumentsTests {
    @Test("options are taken, with their values after a space or =")
    func options() throws {
        let arguments = try Arguments(["--config", "/c", "--spool=/s", "--socket", "/b", "--check-config"])
        #expect(arguments.configuration == "/c" && arguments.spool == "/s" && arguments.socket == "/b")
        #expect(arguments.checksConfiguration && arguments.notice == nil)
        #expect(try !Arguments([]).checksConfiguration && Arguments(["-h"]).notice == .help)
        #expect(try Arguments(["--version"]).notice == .version)
    }

    @Test("what is no option is refused", arguments: [["--nonsense"], ["x"], ["--config"], ["--spool="], ["--help=x"]])
    func errors(words: [String]) { #expect(throws: UsageError.self) { try Arguments(words) } }
}
