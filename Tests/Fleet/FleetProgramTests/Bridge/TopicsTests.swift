import Fleet
import MQTT
import Programs
import Testing

@testable import sensorbroker_mqtt

@Suite struct TopicsTests {
    @Test("a host's topic may have its own names, and other uses of % stay")
    func names() throws {
        let machine = String(repeating: "a", count: 32)
        let names = HostNames(machine: machine, host: "truck")
        #expect(try names.expanded("50%-%H-%mx%x-%H", "Host") == "50%-truck-\(machine)x%x-truck")
        #expect(try names.expanded("plain", "Host") == "plain")
        #expect(try names.expanded("%", "Host") == "%")
        #expect(try HostNames(machine: nil, host: nil).expanded("%H", "Host") == "localhost")
        for machine in [nil, "", "short"] as [String?] {
            do {
                _ = try HostNames(machine: machine, host: "truck").expanded("%m", "[Topics] Host")
                Issue.record("there is no machine id")
            } catch {
                #expect(error.status == .configuration && error.description.contains("run systemd-machine-id-setup"))
            }
        }
    }

    @Test("the names of this host are known")
    func facts() throws {
        var settings = FleetSettings()
        settings.host = "%H"
        settings.ownTracks = "owntracks/%H"
        let facts = try HostFacts(settings)
        #expect(!facts.host.isEmpty && !facts.host.contains("%") && facts.ownTracks == "owntracks/\(facts.host)")
    }

    @Test("the resource of a wish is what is between the host and set")
    func sets() {
        let topics = Topics(prefix: "fleet", host: "truck")
        #expect(topics.resource(ofSet: "fleet/truck/location/set") == "location")
        for topic in ["fleet/truck/set", "fleet/truck//set", "fleet/van/location/set", "fleet/truck/location", ""] {
            #expect(topics.resource(ofSet: topic) == nil, "\(topic)")
        }
        #expect(topics.readings(of: "light", isLate: true) == "fleet/truck/light/late")
    }
}
