internal import Mock
internal import Readings

/// Something magnetic near a magnetometer for a while: `75uT dip 30deg from 20s for 15s`.
struct Disturbance {
    private let seconds: Range<Double>
    private let microtesla: Double
    private let dipDegrees: Double

    init(_ text: String) throws(Refusal) {
        let words = UnitWords.joined(text.split(separator: " ").map(String.init))
        guard words.count > 5, words[1] == "dip", words[3] == "from", let middle = words.firstIndex(of: "for"),
            let microtesla = NumberWithUnit.value(words[0], in: Kind.magneticField.row.unit),
            (0...10_000).contains(microtesla),
            let dipDegrees = NumberWithUnit.degrees(words[2]), (-90...90).contains(dipDegrees),
            let from = NumberWithUnit.time(words[4..<middle].joined(separator: " ")),
            let length = NumberWithUnit.seconds(words[(middle + 1)...].joined(separator: " "))
        else {
            throw Refusal(
                text, isNo: "disturbance",
                write: "strength and dip of the field, when it begins and how long it lasts: "
                    + "75uT dip 30deg from 20s for 15s")
        }
        seconds = from..<from + length
        self.microtesla = microtesla
        self.dipDegrees = dipDegrees
    }

    func put(into field: inout SurroundingField) {
        field.disturb(seconds, strengthMicrotesla: microtesla, dipDegrees: dipDegrees)
    }
}
