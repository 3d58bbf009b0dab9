internal import Configuration
internal import Mock
internal import Readings

/// Something magnetic near a magnetometer for a while: `75uT dip 30deg from 20s for 15s`.
struct Disturbance {
    private var seconds = 0.0..<0.0
    private var microtesla = 0.0
    private var dipDegrees = 0.0

    init(_ text: String) throws(Refusal) {
        let words = UnitWords.joined(text.split(separator: " ").map(String.init))
        guard words.count > 5, words[1] == "dip", words[3] == "from", let middle = words.firstIndex(of: "for"),
            let microtesla = NumberWithUnit.value(words[0], in: Kind.magneticField.row.unit),
            (0...10_000).contains(microtesla),
            let dipDegrees = NumberWithUnit.degrees(words[2]), (-90...90).contains(dipDegrees),
            let from = Self.seconds(words[4..<middle]),
            let length = NumberWithUnit.seconds(Self.text(words[(middle + 1)...]))
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

    private static func text(_ words: ArraySlice<String>) -> String { words.joined(separator: " ") }

    private static func seconds(_ words: ArraySlice<String>) -> Double? {
        TimeSpan(text(words))?.nanoseconds == 0 ? 0 : NumberWithUnit.seconds(text(words))
    }
}
