internal import Configuration
internal import IIO
internal import Readings

/// The keys for the calibration of sensors.
extension Settings {
    /// `Scale=` and `Offset=` of a kind; none if its numbers cannot be calibrated.
    static func calibration(_ kind: Kind) -> [Key] {
        guard kind.row.canBeCalibrated else { return [] }
        let isVector = kind.row.channels.count == 3
        return [
            Key(
                "Scale", \.sensors.scales[of: kind],
                CalibrationText.form(kind, "1.02,0.98,1") { (1e-9...1e9).contains($0.magnitude) },
                """
                A factor for the readings, to correct a sensor. It applies to the first resource of the section; another one is
                named: `1.02 accelerometer:1=0.99`. If a driver has no scale, it is the size of a count.
                """, default: "`1`", example: "\(isVector ? "1.02,0.98,1" : "1.02") \(kind.row.resource):1=0.99"),
            Key(
                "Offset", \.sensors.offsets[of: kind], CalibrationText.form(kind, "0,0,-0.05") { $0.magnitude <= 1e9 },
                "A value that is then added, in the unit of the readings and along the axes of the device.",
                default: "`0`", example: isVector ? "0,0,-0.05" : "-0.5"),
        ]
    }
}

/// Numbers for each channel of some resources of a kind: `1.02`, `1.02,0.98,1`, `1.02 accelerometer:1=0.99`.
enum CalibrationText {
    static func form(
        _ kind: Kind, _ example: String, _ isPossible: @escaping @Sendable (Double) -> Bool
    ) -> SettingForm<[ResourceName: SIMD4<Double>]> {
        SettingForm("one number, or one for each channel, such as `\(example)`", text: { Self.text($0, kind) }) {
            (text) throws(SettingRefusal) in try numbers(text, kind, isPossible)
        }
    }

    /// The numbers in a text, by resource; numbers without a name are for the first resource.
    static func numbers(
        _ text: String, _ kind: Kind, _ isPossible: (Double) -> Bool
    ) throws(SettingRefusal) -> [ResourceName: SIMD4<Double>] {
        var found: [ResourceName: SIMD4<Double>] = [:]
        for word in text.split(separator: " ") {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = sides.count == 2 ? ResourceName(String(sides[0])) : kind.row.firstResource
            guard let name, name.word == kind.row.resource else {
                throw SettingRefusal("'\(sides[0])' is not a resource of this section; \(remedy(kind))")
            }
            guard found[name] == nil else { throw SettingRefusal("\(name) occurs twice; \(remedy(kind))") }
            let numbers = (sides.last ?? "").split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            let channels = kind.row.channels.count
            guard numbers.count == 1 || numbers.count == channels, !numbers.contains(nil),
                numbers.compactMap({ $0 }).allSatisfy({ $0.isFinite && isPossible($0) })
            else { throw SettingRefusal("'\(sides.last ?? "")' is not plausible; \(remedy(kind))") }
            var vector = SIMD4<Double>(repeating: numbers.count == 1 ? numbers[0] ?? 0 : 0)
            for (channel, number) in numbers.enumerated() where numbers.count > 1 { vector[channel] = number ?? 0 }
            found[name] = vector
        }
        return found
    }

    static func text(_ numbers: [ResourceName: SIMD4<Double>], _ kind: Kind) -> String {
        numbers.sorted { $0.key.description < $1.key.description }.map { name, vector in
            let channels = kind.row.channels.indices.map { vector[$0] }
            let isOne = channels.allSatisfy { $0 == channels[0] }
            let words = (isOne ? Array(channels.prefix(1)) : channels).map { "\($0)" }.joined(separator: ",")
            return name == kind.row.firstResource ? words : "\(name)=\(words)"
        }.joined(separator: " ")
    }

    private static func remedy(_ kind: Kind) -> String {
        let word = kind.row.resource
        let axes =
            kind.row.channels.count > 1 ? " or \(kind.row.channels.map { _ in "1.02" }.joined(separator: ","))" : ""
        return "write a number such as 1.02\(axes), and \(word):1=0.98 for a further resource"
    }
}

extension [ResourceName: SIMD4<Double>] {
    /// The numbers of a kind's resources.
    subscript(of kind: Kind) -> Self {
        get { filter { $0.key.word == kind.row.resource } }
        set { self = filter { $0.key.word != kind.row.resource }.merging(newValue) { $1 } }
    }
}
