import SensorValues
import Spool
import Testing
import Varlink

@testable import Fleet

private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

private func object(_ bytes: [UInt8]) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(bytes) else {
        Issue.record("no object")
        return [:]
    }
    return object
}

@Suite struct HomeAssistantTests {
    private let assistant = HomeAssistant(
        discovery: "homeassistant", host: "truck.42", status: "fleet/truck.42/status", version: "1")

    @Test("each axis is announced with the unit of the table of kinds")
    func units() throws {
        for kind in Kind.all {
            let found = assistant.announcements(of: kind.row.resource + ":1", newest: "n")
            #expect(found.count == max(1, kind.row.channels.count))
            for (topic, text) in found {
                let object = try object(text)
                #expect(topic.hasPrefix("homeassistant/") && topic.hasSuffix("/config") && !topic.contains(":"))
                guard kind.row.form == .values, !topic.contains("binary_sensor") else { continue }
                let unit: JSONValue? = kind.row.unit.symbol.isEmpty ? nil : .string(kind.row.unit.symbol)
                #expect(object["unit_of_measurement"] == unit, "\(topic)")
            }
        }
        #expect(assistant.announcements(of: "somethingnew", newest: "n").isEmpty)
    }

    @Test("identifiers have only the characters that Home Assistant allows")
    func identifiers() throws {
        let found = assistant.announcements(of: "temperature:1", newest: "fleet/truck.42/temperature:1/newest")
        let (topic, text) = try #require(found.first)
        #expect(topic == "homeassistant/sensor/sensorbroker_truck_42/temperature_1_value/config")
        #expect(try object(text)["unique_id"] == "sensorbroker_truck_42_temperature_1_value")
    }
}

@Suite struct NewestTests {
    private let now = Moment(bootNanoseconds: 10_000_000_000, utcMicroseconds: 1_790_000_000_000_000)

    @Test("of a batch, the last row counts")
    func values() {
        let reading: JSONObject = ["values": ["columns": ["x": [1.0, 2.5], "y": [3.0, 4.5]]]]
        #expect(text(Newest.values(of: reading)) == #"{"x":2.5,"y":4.5}"#)
        #expect(text(Newest.values(of: ["orientation": "left-up"])) == #"{"value":"left-up"}"#)
        #expect(Newest.values(of: ["values": ["columns": ["x": []]]]) == nil && Newest.values(of: [:]) == nil)
    }

    @Test("a location has Home Assistant's names, and OwnTracks' names and units")
    func location() {
        let reading: JSONObject = [
            "timestampNanoseconds": 9_000_000_000,
            "location": [
                "fix": "3d", "latitudeDegrees": 48.5, "longitudeDegrees": 9.25, "horizontalErrorMeters": 4.6,
                "altitudeMeters": 312.2, "speedMetersPerSecond": 10.0, "trackDegrees": 359.7,
            ],
        ]
        #expect(
            text(Newest.values(of: reading))
                == #"{"latitude":48.5,"longitude":9.25,"gps_accuracy":4.6,"altitude":312.2,"speed":10.0,"course":359.7}"#
        )
        #expect(
            text(Newest.ownTracks(reading, host: "truck-0042", now: now))
                == #"{"_type":"location","lat":48.5,"lon":9.25,"tst":1789999999,"tid":"42","acc":5,"alt":312,"vel":36,"cog":360}"#
        )
    }

    @Test("without a position there is nothing to show")
    func noPosition() {
        let reading: JSONObject = ["location": ["fix": "none"]]
        #expect(Newest.values(of: reading) == nil && Newest.ownTracks(reading, host: "h", now: now) == nil)
        #expect(Newest.ownTracks(["orientation": "normal"], host: "h", now: now) == nil)
    }

    @Test("impossible times end nothing")
    func extremes() {
        let reading: JSONObject = [
            "timestampNanoseconds": .integer(.min), "location": ["latitudeDegrees": 1.0, "longitudeDegrees": 1.0],
        ]
        #expect(Newest.ownTracks(reading, host: "", now: now) != nil)
    }
}
