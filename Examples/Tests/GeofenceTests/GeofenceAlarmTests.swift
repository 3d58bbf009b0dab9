import Geofence
import SensorBroker
import SensorBrokerTesting
import Testing

@Suite struct GeofenceAlarmTests {
    private let time = VirtualTime()
    private let fence = CircularCondition(
        center: Coordinate(latitudeDegrees: 52.5, longitudeDegrees: 13.4), radiusMeters: 50)
    private let home = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)
    private let away = Location(latitudeDegrees: 52.501, longitudeDegrees: 13.4)

    @Test("it rings when the fence is left, even if the receiver was lost meanwhile")
    func leaving() async throws {
        let location = ScriptedSensor(
            location: time, .reading(home), .wait(.seconds(1)), .lose(reason: "unplugged"), .wait(.seconds(60)),
            .recover, .reading(away))
        let alarm = GeofenceAlarm(fence, location: location)
        time.advance(by: .seconds(61))
        #expect(try await alarm.nextCrossing() == .left)
    }

    @Test("a location that is not known well enough is no crossing")
    func vague() async {
        let vague = Location(latitudeDegrees: 52.501, longitudeDegrees: 13.4, horizontalErrorMeters: 500)
        let location = ScriptedSensor(location: time, .reading(home), .reading(vague), .fail(.timedOut))
        time.advance(by: .zero)
        await #expect(throws: SensorError.timedOut) {
            try await GeofenceAlarm(fence, location: location).nextCrossing()
        }
    }
}
