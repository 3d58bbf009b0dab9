public import Readings
public import Varlink

/// What another resource measured at the times of a reading's samples.
public struct Aligned: Decoded {
    /// The resource.
    public let resource: String
    /// The label of its request, if it has one.
    public let label: String?
    /// `exact`, `interpolated` or `absent`.
    public let alignment: String
    /// The names of its numbers, in the order received; none if nothing is known.
    public let names: [String]
    private let columns: [[Double?]]

    /// The values of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        resource = try parameters.string("resource")
        label = try parameters.optionalString("label")
        alignment = try parameters.string("alignment")
        let plain = try parameters.optionalObject("columns")
        let names = plain?.object.members.map(\.key) ?? []
        self.names = names
        columns = try names.map { name throws(VarlinkError) in
            try (plain?.optionalArray(name) ?? []).map { element throws(VarlinkError) in
                switch element {
                case .number(let value): value
                case .integer(let value): Double(value)
                case .null: nil
                default: throw .invalidParameter(name)
                }
            }
        }
    }

    /// The location at the time of a sample; nil if no position is known then.
    public func location(row: Int) -> Location? {
        var location = Location(fix: .noPosition)
        for field in LocationField.all where field.words.isEmpty {
            field.put(number(field.name, row: row), into: &location)
        }
        guard location.coordinate != nil else { return nil }
        location.fix = location.altitudeMeters == nil ? .twoDimensional : .threeDimensional
        return location
    }

    /// The values of a kind at the time of a sample; nil if one of them is unknown.
    package func values(of kind: Kind, row: Int) -> Values? {
        var vector = SIMD4<Double>.zero
        for (channel, name) in kind.row.channels.enumerated() {
            guard let number = number(name.description, row: row) else { return nil }
            vector[channel] = number
        }
        return kind.row.channels.isEmpty ? nil : Values(kind, vector)
    }

    /// A number at the time of a sample, by its name and the sample's row; nil if it is unknown.
    public func number(_ name: String, row: Int) -> Double? {
        guard let column = names.firstIndex(of: name), columns[column].indices.contains(row) else { return nil }
        return columns[column][row]
    }
}
