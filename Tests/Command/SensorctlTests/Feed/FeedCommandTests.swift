import Programs
import Testing
import Varlink

@testable import sensorctl

/// The command line of `feed`.
@Suite struct FeedCommandTests {
    @Test("the offer has what the command line says")
    func offer() throws {
        let command = try FeedCommand(
            Invocation([
                "feed", "acceleration", "--name", "accelerometer:arm", "--rate", "50", "--rest", "5s", "--description",
                "an arm",
                "--simulated",
            ]))
        #expect(
            command.offer.call
                == Call(
                    "io.sensorbroker.Feed.Provide",
                    parameters: [
                        "resources": [["name": "accelerometer:arm", "kind": "acceleration"]], "description": "an arm",
                        "intervalNanoseconds": 20_000_000, "restNanoseconds": 5_000_000_000, "simulated": true,
                    ], mode: .more))
        #expect(try FeedCommand(Invocation(["feed", "gyroscope"])).offer.name == "gyroscope")
        let errors = [
            ["accelerometer:arm"]: "--name accelerometer:arm", ["orientation"]: "accelerometer",
            ["gyrscope"]: "gyroscope",
            ["location", "--name", "Location"]: "no name", ["location", "--rate", "often"]: "rate",
        ]
        for (words, mention) in errors {
            let error = #expect(throws: UsageError.self) { try FeedCommand(Invocation(["feed"] + words)) }
            #expect(error?.description.contains(mention) == true)
        }
    }
}
