import Fleet
import Programs
import Testing

@testable import sensorbroker_fleet

@Suite struct FleetArgumentsTests {
    @Test("options are taken in any order, with their values")
    func options() throws {
        let arguments = try Arguments([
            "--server", "mqtts://b", "record", "--host=tr*", "/drives", "--resource", "location,light", "--no-resend",
            "--hold", "5s", "--for=10min", "--format", "json", "--user", "me", "--password-file", "/p",
        ])
        #expect(arguments.command == .record && arguments.directory == "/drives" && arguments.hosts == "tr*")
        #expect(arguments.resources == ["location", "light"] && arguments.resends == false && arguments.isJSON)
        #expect(arguments.holdNanoseconds == 5_000_000_000 && arguments.durationNanoseconds == 600_000_000_000)
        #expect(arguments.settings.map(\.key) == ["Url", "User", "PasswordFile"])
        #expect(arguments.settings.map(\.value) == ["mqtts://b", "me", "/p"])
    }

    @Test("a path of a file is of the present directory")
    func paths() throws {
        let value = try #require(try Arguments(["verify", "--key", "host.key"]).settings.first?.value)
        #expect(value.hasPrefix("/") && value.hasSuffix("/host.key"))
    }

    @Test(
        "each error has a remedy",
        arguments: [
            ([], "a command is missing: there are verify, watch and record"), (["frob"], "unknown command 'frob'"),
            (["verify", "--resnd"], "did you mean --resend?"),
            (["verify", "--host"], "--host needs a value: --host PATTERN"),
            (["verify", "--host="], "--host needs a value"), (["verify", "--all=yes"], "--all takes no value"),
            (["watch", "--all"], "--all is for verify only"),
            (["verify", "--hold", "1s"], "--hold is for record only"),
            (["record"], "record needs a directory"), (["record", "a", "b"], "record needs a directory"),
            (["verify", "x"], "verify takes options only, but there is also 'x'"),
            (["watch", "--count", "0"], "--count needs a number from 1 on"), (["verify", "--for", "often"], "--for: "),
            (["verify", "--resource", "a,,b"], "'' is no name of a resource"),
            (["verify", "--resource", "../x"], "'../x' is no name of a resource"),
            (["verify", "--format", "csv"], "--format does not take 'csv': write text or json"),
            (["verify", "--server", "a\nb"], "--server is one line"),
        ])
    func errors(words: [String], expected: String) {
        do {
            _ = try Arguments(words)
            Issue.record("\(words) were accepted")
        } catch { #expect(error.description.contains(expected), "\(error)") }
    }

    @Test("help and version need nothing else, and the help has each option")
    func help() throws {
        #expect(try Arguments(["-h"]).notice == .help && Arguments(["--version"]).notice == .version)
        for row in Arguments.options.rows { #expect(Arguments.usage.contains(" \(row.option.text)")) }
        #expect(Set(Arguments.options.rows.map(\.option)).isSuperset(of: FleetOption.all))
    }
}
