import Readings
import Testing

@testable import Formats

@Suite("A location as NMEA 0183") struct NMEAWriterTests {
    private static let location: Location = {
        var location = Location(fix: .threeDimensional)
        (location.latitudeDegrees, location.longitudeDegrees, location.altitudeMeters) = (48.1173, -11.516666667, 545.4)
        location.geoidSeparationMeters = 46.9
        location.utcMicroseconds = 764_423_999_800_000
        (location.speedMetersPerSecond, location.trackDegrees) = (10.0 * 1_852 / 3_600, 84.4)
        (location.horizontalDilution, location.verticalDilution, location.positionDilution) = (0.9, 1.3, 1.6)
        location.satellitesUsed = 8
        return location
    }()

    private static func satellite(
        _ system: Satellite.System?, _ number: Int, prn: Int = 1, isUsed: Bool = true
    ) -> Satellite {
        var satellite = Satellite(prn: prn, isUsed: isUsed)
        (satellite.system, satellite.systemNumber) = (system, number)
        (satellite.elevationDegrees, satellite.azimuthDegrees, satellite.signalDecibelHertz) = (40.4, 359.6, 46.5)
        return satellite
    }

    private static func location(_ satellites: [Satellite]) -> Location {
        var location = location
        location.satellites = satellites
        return location
    }

    @Test("has its values in the fields of each sentence, and a checksum")
    func fields() {
        #expect(
            NMEAWriter.sentences(Self.location) == [
                "$GPRMC,115959.80,A,4807.038000,N,01131.000000,W,10.000,84.40,230394,,,A*70",
                "$GPGGA,115959.80,4807.038000,N,01131.000000,W,1,08,0.90,545.400,M,46.900,M,,*4E",
                "$GPGSA,A,3,,,,,,,,,,,,,1.60,0.90,1.30*0E",
            ])
    }

    @Test("states how the position was found, and with which corrections")
    func quality() {
        var location = Self.location
        let letters: [(Location.Status, String, String)] = [
            (.autonomous, "1", "A"), (.dgps, "2", "D"), (.precise, "3", "P"), (.rtkFixed, "4", "R"),
            (.rtkFloat, "5", "F"), (.deadReckoning, "6", "E"), (.gnssDeadReckoning, "1", "A"), (.timeOnly, "7", "M"),
            (.simulated, "8", "S"),
        ]
        #expect(letters.map(\.0).count == Location.Status.allCases.count)
        for (status, quality, mode) in letters {
            location.status = status
            let (rmc, gga) = (Self.cells(location, .rmc), Self.cells(location, .gga))
            #expect((gga[6], gga[13], gga[14]) == (quality, "", ""))
            #expect((rmc[2], rmc[12]) == ("A", mode))
        }
        (location.status, location.correctionAgeSeconds, location.correctionStation) = (.rtkFixed, 1.25, 7)
        let gga = Self.cells(location, .gga)
        #expect(Array(gga[6...]) == ["4", "08", "0.90", "545.4", "M", "46.9", "M", "1", "0007"])
        location.geoidSeparationMeters = nil
        #expect(Self.cells(location, .gga).suffix(2) == ["1.3", "0007"])
        location.fix = .noPosition
        #expect(Self.cells(location, .gga)[6] == "0" && Self.cells(location, .gga).suffix(2) == ["", ""])
    }

    @Test("has a heading if it is known, below 360 however it is rounded")
    func heading() {
        var location = Self.location
        #expect(NMEAWriter.sentences(location, [.hdt]).isEmpty)
        location.headingDegrees = 263.894
        #expect(Self.cells(location, .hdt) == ["$GPHDT", "263.89", "T"])
        (location.headingDegrees, location.fix) = (359.999, .noPosition)
        #expect(Self.cells(location, .hdt) == ["$GPHDT", "0.00", "T"])
    }

    /// The fields of a sentence without its checksum.
    private static func cells(_ location: Location, _ type: NMEAWriter.Sentence) -> [String] {
        let sentence = NMEAWriter.sentences(location, [type]).first?.split(separator: "*").first ?? ""
        return sentence.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("is read back unchanged")
    func reading() throws {
        let lines = NMEAWriter.sentences(Self.location)
        let samples = try NMEAReader.samples(Array(lines.map { $0 + "\r\n" }.joined().utf8)).samples
        guard case .location(let read)? = samples.first?.measurement else { throw Missing() }
        var expected = Self.location
        expected.ellipsoidHeightMeters = 545.4 + 46.9
        #expect(read == expected)
    }

    private struct Missing: Error {}

    @Test("has empty fields for what is unknown, and states that there is no fix")
    func unknown() {
        #expect(
            NMEAWriter.sentences(Location(fix: .noPosition)) == [
                "$GPRMC,,V,,,,,,,,,,N*53", "$GPGGA,,,,,,0,,,,M,,M,,*66", "$GPGSA,A,1,,,,,,,,,,,,,,,*1E",
            ])
        var flat = Location(fix: .twoDimensional)
        (flat.latitudeDegrees, flat.longitudeDegrees, flat.altitudeMeters) = (-0.5, 180, 7)
        #expect(
            NMEAWriter.sentences(flat, [.gga, .rmc]) == [
                "$GPGGA,,0030.000000,S,18000.000000,E,1,,,,M,,M,,*4B",
                "$GPRMC,,A,0030.000000,S,18000.000000,E,,,,,,A*67",
            ])
    }

    @Test("has the HDOP that the caller chooses")
    func dilution() {
        let lines = NMEAWriter.sentences(Self.location, [.gga, .gsa], horizontalDilution: 4.5)
        #expect(lines[0].contains(",1,08,4.50,545.400,"))
        #expect(lines[1].contains(",1.60,4.50,1.30*"))
    }

    @Test(
        "has minutes below 60 and tracks below 360, however they are rounded",
        arguments: [
            (59.9999999994, "0100.000000"), (59.9999999999, "0100.000000"), (59.9999994, "0059.999999"),
            (5399.9999999994, "9000.000000"), (20.0, "0020.000000"),
        ])
    func rounding(minutes: Double, text: String) {
        let latitude = minutes / 60
        var location = Self.location
        (location.latitudeDegrees, location.trackDegrees) = (latitude, 359.996)
        let line = NMEAWriter.sentences(location, [.rmc])[0]
        #expect(line.contains(",A,\(text),N,"))
        #expect(line.contains(",10.000,0.00,"))
    }

    @Test("has a GSA and GSVs for each system, by its own numbers, and the talker GN")
    func systems() {
        let satellites =
            (1...5).map { Self.satellite(.gps, $0, isUsed: $0 != 5) } + [
                Self.satellite(.galileo, 4), Self.satellite(.glonass, 6), Self.satellite(.sbas, 123, isUsed: false),
                Self.satellite(.qzss, 2), Self.satellite(.beidou, 19), Self.satellite(nil, 0, prn: 301),
                Self.satellite(.imes, 1), Self.satellite(.navic, 3),
            ]
        let lines = NMEAWriter.sentences(Self.location(satellites))
        let bodies = lines.map { String($0.dropLast(3)) }
        #expect(
            bodies.dropFirst(2) == [
                "$GPGSA,A,3,01,02,03,04,,,,,,,,,1.60,0.90,1.30,1", "$GLGSA,A,3,70,,,,,,,,,,,,1.60,0.90,1.30,2",
                "$GAGSA,A,3,04,01,,,,,,,,,,,1.60,0.90,1.30,3", "$GBGSA,A,3,19,,,,,,,,,,,,1.60,0.90,1.30,4",
                "$GQGSA,A,3,02,,,,,,,,,,,,1.60,0.90,1.30,5", "$GIGSA,A,3,03,,,,,,,,,,,,1.60,0.90,1.30,6",
                "$GPGSV,2,1,06,01,40,000,47,02,40,000,47,03,40,000,47,04,40,000,47",
                "$GPGSV,2,2,06,05,40,000,47,36,40,000,47", "$GLGSV,1,1,01,70,40,000,47",
                "$GAGSV,1,1,02,04,40,000,47,01,40,000,47", "$GBGSV,1,1,01,19,40,000,47",
                "$GQGSV,1,1,01,02,40,000,47", "$GIGSV,1,1,01,03,40,000,47",
            ])
    }

    @Test("has a sentence's length and digits, whatever its values")
    func length() {
        var location = Self.location((1...40).map { Self.satellite(.gps, $0 % 32 + 1, prn: $0) })
        location.utcMicroseconds = 764_423_999_812_345
        (location.altitudeMeters, location.geoidSeparationMeters) = (12_345.67, -106.99)
        (location.speedMetersPerSecond, location.horizontalDilution) = (7_800, 49.99)
        (location.satellitesUsed, location.trackDegrees) = (40, 359.98)
        let lines = NMEAWriter.sentences(location)
        #expect(lines.allSatisfy { $0.utf8.count <= 80 && $0.utf8.allSatisfy { (32...126).contains($0) } }, "\(lines)")
        #expect(lines.count { $0.hasPrefix("$GPGSV,9,") } == 9)
        #expect(lines.count { $0.hasPrefix("$GPGSA,") } == 4)
        #expect(lines[1].contains(",115959.812,"))
        #expect(lines[1].contains(",50.0,12345.7,M,-107.0,M,,*"))
    }
}
