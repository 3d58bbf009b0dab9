import Testing
import Varlink

@testable import sensorctl

@Suite("Metrics as text") struct MetricsTextTests {
    private static func text(
        broker: String? = nil, _ families: [(String, String)], _ metrics: [JSONObject]
    ) throws -> MetricsText {
        var text = MetricsText(broker: broker)
        for (name, type) in families {
            try text.describe(
                Parameters(["name": .string(name), "type": .string(type), "description": "A \"b\"\\\nc"]))
        }
        for metric in metrics { try text.add(Parameters(metric)) }
        return text
    }

    @Test("a counter of an object, in both formats")
    func counter() throws {
        let text = try Self.text(
            [("io.sensorbroker.DeviceSamplesTotal", "counter")],
            [["name": "io.sensorbroker.DeviceSamplesTotal", "value": 7, "object": "gyroscope:1"]])
        let help = #"A "b"\\\nc"#
        let quoted = #"A \"b\"\\\nc"#
        let sample = #"sensorbroker_device_samples_total{device="gyroscope:1"} 7"#
        let up = ["# TYPE sensorbroker_up gauge", "sensorbroker_up 1"]
        #expect(
            Array(text.lines(.openMetrics).dropFirst()) == up + [
                "# HELP sensorbroker_device_samples \(quoted)", "# TYPE sensorbroker_device_samples counter", sample,
                "# EOF",
            ])
        #expect(
            Array(text.lines(.prometheus).dropFirst()) == up + [
                "# HELP sensorbroker_device_samples_total \(help)", "# TYPE sensorbroker_device_samples_total counter",
                sample,
            ])
    }

    @Test("the labels of strangers are escaped, whatever is in them")
    func escapes() throws {
        let text = try Self.text(
            broker: "two", [("io.sensorbroker.X", "gauge")],
            [
                [
                    "name": "io.sensorbroker.X", "value": 0.5, "object": "a\"b\\c\nd\u{1B}[2J",
                    "fields": ["1 bad-name": "ü\u{85}"],
                ]
            ])
        #expect(
            text.lines(.prometheus).last
                == #"sensorbroker_x{broker="two",x="a\"b\\c\nd\\u001b[2J",_1_bad_name="ü\\u0085"} 0.5"#)
    }

    @Test("a text is a label, an info has its type, and a unit is declared")
    func forms() throws {
        let text = try Self.text(
            [
                ("io.sensorbroker.ResourceState", "string"), ("io.sensorbroker.BuildInfo", "gauge"),
                ("io.sensorbroker.ResidentMemoryBytes", "gauge"),
            ],
            [
                ["name": "io.sensorbroker.ResourceState", "value": "stale", "object": "light"],
                ["name": "io.sensorbroker.BuildInfo", "value": 1, "fields": ["version": "9"]],
                ["name": "io.sensorbroker.ResidentMemoryBytes", "value": 5],
            ])
        let lines = text.lines(.openMetrics)
        #expect(lines.contains(#"sensorbroker_resource_state{resource="light",state="stale"} 1"#))
        #expect(lines.contains("# TYPE sensorbroker_build info"))
        #expect(lines.contains(#"sensorbroker_build_info{version="9"} 1"#))
        #expect(lines.contains("# UNIT sensorbroker_resident_memory_bytes bytes"))
        #expect(text.lines(.prometheus).contains("# TYPE sensorbroker_build_info gauge"))
    }

    @Test("three counters are a histogram, together")
    func histogram() throws {
        let names = ["Bucket", "Count", "Sum"].map { "io.sensorbroker.TurnSeconds" + $0 }
        let text = try Self.text(
            names.map { ($0, "counter") },
            [
                ["name": .string(names[0]), "value": 1, "fields": ["le": "0.5"]],
                ["name": .string(names[0]), "value": 2, "fields": ["le": "+Inf"]],
                ["name": .string(names[1]), "value": 2], ["name": .string(names[2]), "value": 1.25],
            ])
        #expect(
            Array(text.lines(.openMetrics).suffix(7)) == [
                "# TYPE sensorbroker_turn_seconds histogram", "# UNIT sensorbroker_turn_seconds seconds",
                #"sensorbroker_turn_seconds_bucket{le="0.5"} 1"#, #"sensorbroker_turn_seconds_bucket{le="+Inf"} 2"#,
                "sensorbroker_turn_seconds_count 2", "sensorbroker_turn_seconds_sum 1.25", "# EOF",
            ])
    }

    @Test("what was not described, or is no number, is left out; families stand together")
    func others() throws {
        let text = try Self.text(
            [("io.other.Some.A", "gauge"), ("io.other.Some.B", "gauge"), ("io.other.Some.Never", "gauge")],
            [
                ["name": "io.other.Some.A", "value": 1, "object": "x"],
                ["name": "io.other.Some.B", "value": [1]], ["name": "io.other.Some.B", "value": 2],
                ["name": "io.other.Some.C", "value": 3], ["name": "io.other.Some.A", "value": 4, "object": "y"],
            ])
        #expect(
            text.lines(.prometheus).filter { !$0.hasPrefix("#") } == [
                "sensorbroker_up 1", #"Some_a{a="x"} 1"#, #"Some_a{a="y"} 4"#, "Some_b 2",
            ])
        #expect(MetricsText(broker: "x", isUp: false).lines(.prometheus).last == #"sensorbroker_up{broker="x"} 0"#)
    }
}
