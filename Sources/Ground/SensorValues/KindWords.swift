/// How a kind is called in Swift programs and in texts.
package struct KindWords: Sendable {
    /// What is measured, as a part of a sentence: `the relative humidity of the air`.
    package let summary: String
    /// Whole sentences for programmers; empty if the summary has everything.
    package let details: String
    /// The sensor, as a part of a sentence: `hygrometer`.
    package let sensor: String
    /// The type of such sensors in Swift: `Hygrometer`.
    package let sensorType: String
    /// The type of its values in Swift, if that is not the name on the wire: `ParticulateMatter1`.
    package let valueType: String?
    /// The property with the number of such a value, named by its unit: `percent`; nil if a value has several numbers.
    package let number: String?
    /// The constant for the first resource, if that is not the name on the wire: `light`.
    package let constant: String?

    init(
        _ summary: String, details: String = "", sensor: String, sensorType: String, valueType: String? = nil,
        number: String? = nil, constant: String? = nil
    ) {
        self.summary = summary
        self.details = details
        self.sensor = sensor
        self.sensorType = sensorType
        self.valueType = valueType
        self.number = number
        self.constant = constant
    }
}
