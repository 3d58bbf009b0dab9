import Readings
import Testing
import Varlink

@testable import BrokerClient

@Suite struct LocationObjectTests {
    @Test("the object of a location has all fields, and is read back unchanged")
    func roundTrip() throws {
        var location = Location(fix: .threeDimensional)
        location.utcMicroseconds = 7
        for (index, field) in LocationField.all.enumerated() {
            field.put(field.words.isEmpty ? Double(index + 1) : 3, into: &location)
        }
        #expect(location.object.members.count == LocationField.all.count + 2)
        #expect(try Location(Parameters(location.object)) == location)
        #expect(location.object["status"] == .string("rtkFloat"))
        // These are all fields, except the single satellites, which have a table of their own.
        #expect(Mirror(reflecting: location).children.count == LocationField.all.count + 3)
    }
}
