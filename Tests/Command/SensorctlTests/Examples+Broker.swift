import ScriptedService
import Varlink

extension Examples {
    /// A broker with two resources, and these readings.
    static func broker(_ readings: [JSONObject] = []) throws -> ScriptedServer {
        try ScriptedServer { call in
            switch call.method {
            case "ListResources": .replies([["resources": .array(Examples.resources)]])
            case "Read" where call.parameters.object["resource"] == "location":
                .replies([["reading": .object(Examples.location)]])
            case "Subscribe":
                .replies(
                    [
                        [
                            "subscription": "5f3a", "revision": 1, "grants": [.object(Examples.grant)],
                            "resources": [Examples.resources[1]],
                        ]
                    ] + readings.map { ["readings": [.object($0)]] }, continues: true)
            case "Modify": .replies([["revision": 2, "grants": [.object(Examples.grant)]]])
            default: .error("NoSuchResource", ["resource": "x"])
            }
        }
    }
}
