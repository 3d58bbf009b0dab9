import Testing

@testable import IIO

@Suite("What identifies a sensor, as text") struct IdentityTextTests {
    private func text(
        serial: String? = nil, path: String = "i2c-1/1-0068", label: String? = nil, ordinal: Int = 0,
        isShared: Bool = false
    ) -> String {
        Sighting.Identity(serial: serial, path: path, name: "bmi160", label: label).numbered(ordinal)
            .text(isShared: isShared)
    }

    @Test("is its serial number or its place, its model, and which one it is of several alike")
    func parts() {
        #expect(text() == "i2c-1/1-0068 bmi160")
        #expect(text(serial: "A1", label: "display") == "serial A1 bmi160 display")
        #expect(text(ordinal: 1) == "i2c-1/1-0068 bmi160 2")
    }

    @Test("differs wherever a sensor may be another one")
    func different() {
        let texts = [
            text(), text(path: "i2c-1/1-0069"), text(serial: "A1"), text(serial: "A2"), text(label: "base"),
            text(ordinal: 1),
        ]
        #expect(Set(texts).count == texts.count)
        #expect(text(serial: "A1") == text(serial: "A1", path: "elsewhere"))
        #expect(text(serial: "A1", isShared: true) == "serial A1 i2c-1/1-0068 bmi160")
    }
}
