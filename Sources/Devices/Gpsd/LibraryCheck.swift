internal import Readings

/// Lines with known contents, to check that the loaded libgps has the expected struct.
///
/// Each field that is read has a distinct value. The path and the satellites lie behind the largest array of the
/// struct, so a libgps with another array size has them elsewhere. The counts of satellites are there as in any report of
/// gpsd: libgps 3.27 makes nothing of a list without them.
enum LibraryCheck {
    static let cases: [(line: String, report: GpsdReport)] = [
        (
            #"{"class":"TPV","device":"/dev/check","mode":3,"time":"2020-02-20T02:20:02.250Z","lat":12.5,"lon":-34.25,"#
                + #""altHAE":101.5,"altMSL":90.25,"track":123.5,"speed":7.75,"climb":-1.5,"epx":4.5,"epy":5.5,"#
                + #""epv":6.5,"eph":8.5,"eps":1.25,"epd":2.25,"epc":3.25,"geoidSep":11.25,"#
                + #""status":3,"dgpsAge":2.5,"dgpsSta":120,"relN":18.25,"relE":19.25,"relD":20.25,"relH":21.25,"relL":22.25,"#
                + #""velN":12.25,"velE":13.25,"velD":-14.25,"ecefvx":15.25,"ecefvy":16.25,"ecefvz":17.25,"ept":0.125,"leapseconds":18}"#,
            .fix(fix, path: "/dev/check")
        ),
        (
            #"{"class":"SKY","device":"/dev/sky","hdop":1.5,"vdop":2.5,"pdop":3.5,"nSat":3,"uSat":2,"satellites":["#
                + #"{"PRN":1,"el":10.5,"az":20.5,"ss":30.5,"used":true,"gnssid":0,"svid":1},"#
                + #"{"PRN":301,"el":11.5,"az":21.5,"ss":31.5,"used":false,"gnssid":2,"svid":4},"#
                + #"{"PRN":70,"el":12.5,"az":22.5,"ss":32.5,"used":true,"gnssid":6,"svid":6}]}"#,
            .sky(sky, path: "/dev/sky")
        ),
    ]

    private static var sky: SkyReport {
        let seen: [(Int, Satellite.System, Int)] = [(1, .gps, 1), (301, .galileo, 4), (70, .glonass, 6)]
        let satellites = seen.enumerated().map { index, seen in
            var satellite = Satellite(prn: seen.0, isUsed: index != 1)
            (satellite.system, satellite.systemNumber) = (seen.1, seen.2)
            satellite.elevationDegrees = 10.5 + Double(index)
            satellite.azimuthDegrees = 20.5 + Double(index)
            satellite.signalDecibelHertz = 30.5 + Double(index)
            return satellite
        }
        return SkyReport(
            used: 2, visible: 3, horizontalDilution: 1.5, verticalDilution: 2.5, positionDilution: 3.5,
            satellites: satellites)
    }

    private static var fix: FixReport {
        var location = Location(fix: .noPosition)
        location.latitudeDegrees = 12.5
        location.longitudeDegrees = -34.25
        location.ellipsoidHeightMeters = 101.5
        location.altitudeMeters = 90.25
        location.trackDegrees = 123.5
        location.speedMetersPerSecond = 7.75
        location.climbMetersPerSecond = -1.5
        location.speedErrorMetersPerSecond = 1.25
        location.trackErrorDegrees = 2.25
        location.climbErrorMetersPerSecond = 3.25
        location.geoidSeparationMeters = 11.25
        location.velocityNorthMetersPerSecond = 12.25
        location.velocityEastMetersPerSecond = 13.25
        location.velocityDownMetersPerSecond = -14.25
        location.ecefVelocityXMetersPerSecond = 15.25
        location.ecefVelocityYMetersPerSecond = 16.25
        location.ecefVelocityZMetersPerSecond = 17.25
        location.timeErrorSeconds = 0.125
        location.leapSeconds = 18
        location.status = .rtkFixed
        location.correctionAgeSeconds = 2.5
        location.correctionStation = 120
        location.verticalErrorMeters = 6.5
        location.horizontalErrorMeters = 8.5
        return FixReport(
            time: FixTime(seconds: 1_582_165_202, nanoseconds: 250_000_000), mode: 3, location: location,
            eastErrorMeters: 4.5, northErrorMeters: 5.5,
            baseline: BaselineReport(
                northMeters: 18.25, eastMeters: 19.25, downMeters: 20.25, lengthMeters: 22.25, headingDegrees: 21.25))
    }
}
