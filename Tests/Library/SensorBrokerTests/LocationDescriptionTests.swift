import SensorBroker
import Testing

@Suite struct LocationDescriptionTests {
    @Test("a location is described by what is known of it")
    func known() {
        var location = Location(fix: .noPosition)
        #expect("\(location)" == "no position")
        location.latitudeDegrees = 52.520008123
        location.longitudeDegrees = -13.404954
        #expect("\(location)" == "52.520008, -13.404954")
        location.horizontalErrorMeters = 3.14
        location.altitudeMeters = 34
        location.speedMetersPerSecond = 1.25
        location.trackDegrees = 359.96
        #expect("\(location)" == "52.520008, -13.404954 ±3.1 m, altitude 34.0 m, 1.3 m/s, 360.0°")
    }
}
