import Delivery
import Readings
import TestTools
import Testing
import Varlink

@testable import Service

@Suite("The text of readings") struct ReadingTextTests {
    @Test("holds a location's known fields under the interface's names, and no others")
    func location() {
        var location = Location(fix: .twoDimensional)
        location.latitudeDegrees = 48
        location.longitudeDegrees = -11.5
        location.utcMicroseconds = 1_795_255_202_000_000
        location.satellitesUsed = 0
        (location.status, location.correctionAgeSeconds, location.correctionStation) = (.rtkFloat, 1.5, 0)
        #expect(
            text([Sample(sequence: 7, timestamp: at(5), measurement: .location(location))], .location) == """
                {"readings":[{"resource":"location","sequence":7,"timestampNanoseconds":5,"location":{"fix":"2d",\
                "utcMicroseconds":1795255202000000,"latitudeDegrees":48.0,"longitudeDegrees":-11.5,"satellitesUsed":0,\
                "status":"rtkFloat","correctionAgeSeconds":1.5,"correctionStation":0}}]}
                """)
    }

    @Test("has each satellite on request, and none otherwise")
    func satellites() {
        var location = Location(fix: .noPosition)
        var satellite = Satellite(prn: 301, isUsed: true)
        (satellite.system, satellite.systemNumber, satellite.elevationDegrees) = (.galileo, 1, 41)
        location.satellites = [satellite, Satellite(prn: 7, isUsed: false)]
        let samples = [Sample(sequence: 7, timestamp: at(5), measurement: .location(location))]
        #expect(!text(samples, .location).contains("satellites"))
        #expect(
            text(samples, .location, withSatellites: true).hasSuffix(
                #""location":{"fix":"none","satellites":[{"prn":301,"system":"galileo","systemNumber":1,"#
                    + #""elevationDegrees":41.0,"used":true},{"prn":7,"used":false}]}}]}"#))
    }

    @Test("holds accelerations in columns, with one period where they are evenly spaced")
    func evenColumns() {
        #expect(
            text([sample(3, 100), sample(4, 110), sample(5, 120)], .accelerometer) == """
                {"readings":[{"resource":"accelerometer","sequence":3,"timestampNanoseconds":100,"values":{\
                "columns":{"x":[3.0,4.0,5.0],"y":[0.5,0.5,0.5],"z":[9.8,9.8,9.8]},"periodNanoseconds":10}}]}
                """)
    }

    @Test("holds the time of each acceleration where they are not evenly spaced")
    func unevenColumns() {
        #expect(
            text([sample(3, 100), sample(4, 110), sample(6, 130)], .accelerometer).hasSuffix(
                #""z":[9.8,9.8,9.8]},"timestampsNanoseconds":[100,110,130]}}]}"#))
    }

    @Test("holds packed columns of several accelerations where they are asked for")
    func packedColumns() {
        #expect(
            text([sample(1, 100), sample(2, 110)], .accelerometer, packed: true) == """
                {"readings":[{"resource":"accelerometer","sequence":1,"timestampNanoseconds":100,"values":{\
                "packed":{"x":"AACAPwAAAEA=","y":"AAAAPwAAAD8=","z":"zcwcQc3MHEE="},"periodNanoseconds":10}}]}
                """)
        #expect(text([sample(3, 100)], .accelerometer, packed: true) == text([sample(3, 100)], .accelerometer))
    }

    @Test(
        "holds packed steps of packed accelerations that are not evenly spaced, and times if a step is too long for that"
    )
    func packedSteps() {
        // As Python has it: base64.b64encode(struct.pack("<2I", …)).
        #expect(
            text([sample(3, 100), sample(4, 110), sample(6, 130)], .accelerometer, packed: true).hasSuffix(
                #""},"packedStepsNanoseconds":"CgAAABQAAAA="}}]}"#))
        for late in [Int64(110) + 1 << 32, 109] {
            #expect(
                text([sample(3, 100), sample(4, 110), sample(6, late)], .accelerometer, packed: true).hasSuffix(
                    #""},"timestampsNanoseconds":[100,110,\#(late)]}}]}"#))
        }
        let longest = Int64(110) + Int64(UInt32.max)
        #expect(
            text([sample(3, 100), sample(4, 110), sample(6, longest)], .accelerometer, packed: true).hasSuffix(
                #""},"packedStepsNanoseconds":"CgAAAP////8="}}]}"#))
    }

    @Test("is the same whether samples came as a run or one by one", arguments: [false, true], [10, 11] as [Int64])
    func run(packed: Bool, lastStep: Int64) {
        for length in 2...7 {
            var instants = (0..<length).map { at(Int64($0) * 10) }
            instants[length - 1] = instants[length - 2] + lastStep
            for kind in [Kind.acceleration, .rotation, .voltage] {
                let channels = kind.row.channels.count
                let run = SampleRun(
                    of: kind, at: instants, numbers: (0..<length * channels).map { Double($0) / 16 - 1 })
                var list = SampleList()
                list.append(run, 0..<length)
                #expect(list.column(ofChannel: 0) != nil)
                for range in [0..<length, 1..<length, 0..<length - 1] {
                    let apart = text(Array(run.samples[range]), .accelerometer, packed: packed)
                    #expect(text(list[range], .accelerometer, packed: packed) == apart)
                }
            }
        }
    }

    @Test("holds neither for a single acceleration")
    func single() { #expect(text([sample(3, 100)], .accelerometer).hasSuffix(#""x":[3.0],"y":[0.5],"z":[9.8]}}}]}"#)) }

    @Test("holds each location by itself")
    func severalLocations() {
        let samples = (0..<3).map {
            Sample(sequence: $0, timestamp: at(Int64($0)), measurement: .location(Location(fix: .noPosition)))
        }
        #expect(text(samples, .location).split(separator: #"{"fix":"none"}"#).count == 4)
    }

    @Test("omits the count of a gap if it is unknown")
    func gaps() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.gaps(
            [
                Gap(cause: .deviceLost, count: nil, from: at(1), until: at(2)),
                Gap(cause: .slowClient, count: 4, from: at(3), until: at(4)),
            ], of: .location)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                {"gaps":[{"resource":"location","cause":"deviceLost","fromNanoseconds":1,"untilNanoseconds":2},\
                {"resource":"location","cause":"slowClient","count":4,"fromNanoseconds":3,"untilNanoseconds":4}]}
                """)
    }

    private func text(
        _ samples: [Sample], _ resource: ResourceName, withSatellites: Bool = false, packed: Bool = false
    ) -> String { text(SampleList(samples), resource, withSatellites: withSatellites, packed: packed) }

    private func text(
        _ samples: SampleList, _ resource: ResourceName, withSatellites: Bool = false, packed: Bool = false
    ) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.readings(samples, of: resource, nil, ReadingForm(hasSatellites: withSatellites, isPacked: packed))
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func sample(_ sequence: UInt64, _ nanoseconds: Int64) -> Sample {
        Sample(
            sequence: sequence, timestamp: at(nanoseconds),
            measurement: .values(Acceleration(x: Double(sequence), y: 0.5, z: 9.8)))
    }
}
