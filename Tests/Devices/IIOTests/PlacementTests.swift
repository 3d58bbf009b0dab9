import Testing

@testable import IIO

@Suite struct PlacementTests {
    /// The words of udev, the label and the location, and whether iio-sensor-proxy 3.9 uses an accelerometer with them.
    private static let answers: [(String?, String?, String?, isInDisplay: Bool)] = [
        (nil, nil, nil, true),
        ("display", nil, nil, true), ("lid", nil, nil, true), ("base", nil, nil, false),
        ("base", "accel-display", "display", false), ("display", "accel-base", "base", true),

        (nil, "accel-display", "base", true), (nil, "accel-base", "display", false),
        (nil, nil, "base", false), (nil, nil, "lid", true), (nil, nil, "", true),
        // Words that it does not know are skipped.
        (nil, "accel-camera", nil, true), (nil, "accel-camera", "base", false), (nil, "base", nil, true),
        (nil, "display", "base", false), ("accel-base", nil, nil, true), ("keyboard", "accel-base", nil, false),
        ("Base", nil, nil, true), (nil, nil, "keyboard", true), (nil, "proximity-lap", nil, true),
        (nil, "", "base", false),
    ]

    @Test("whether a sensor turns the screen is what iio-sensor-proxy makes of it", arguments: answers.indices)
    func display(_ index: Int) {
        let (property, label, location, isInDisplay) = Self.answers[index]
        #expect(Placement(property: property, label: label, location: location).isInDisplay == isInDisplay)
    }

    @Test("a sensor is known by the first word that there is of it")
    func word() {
        #expect(Placement().word == nil)
        #expect(Placement(label: "accel-camera", location: "lid").word == "camera")
        #expect(Placement(property: "base", label: "accel-display").word == "base")
        #expect(Placement(label: "proximity-lap").word == "proximity-lap")
    }
}
