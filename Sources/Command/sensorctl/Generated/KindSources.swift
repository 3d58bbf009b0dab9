internal import Readings

/// What Swift programs know of kinds by name, as sources that follow from the table of kinds.
enum KindSources {
    private static let head = "// Written by 'make generated' from the table of kinds, KindRow+Table.swift.\n\n"

    /// Constants for the kinds and for their first resources.
    static let constants =
        head + "/// The kinds by name.\nextension Kind {\n"
        + Kind.all.map { kind in
            comment([sentence(kind.row.words.summary)], indentation: "    ")
                + "    public static var \(kind.wire): Self { Self(row: \(kind.number)) }\n"
        }.joined()
        + "}\n\n/// The first sensor of each kind.\nextension ResourceName {\n"
        + Kind.all.map { kind in
            let words = kind.row.words
            return comment(["The \(words.sensor) of the host: \(words.summary)."], indentation: "    ")
                + "    public static let \(words.constant ?? kind.wire) = Kind.\(kind.wire).row.firstResource\n"
        }.joined() + "}\n"

    /// Types of values that are vectors or rotations.
    static let vectors =
        head
        + Kind.all.compactMap { kind in
            if kind.row.channels.map(\.description) == ["x", "y", "z"] { return type(of: kind, "Vector") }
            return kind.row.mean == .spherical ? type(of: kind, "UnitQuaternion", of: "QuaternionKind") : nil
        }.joined(separator: "\n")

    /// Types of values that are single numbers, with a property that names their unit.
    static let numbers =
        head
        + Kind.all.compactMap { kind in
            kind.row.words.number.map { type(of: kind, "Scalar") + number($0, of: kind) }
        }.joined(separator: "\n")

    /// Types of sensors.
    static let sensors =
        head
        + Kind.all.map { kind in
            let words = kind.row.words
            return comment(["The host's \(words.sensor): \(words.summary)."])
                + "public typealias \(words.sensorType) = Sensor<\(valueType(kind))>\n"
        }.joined(separator: "\n")

    private static func type(of kind: Kind, _ form: String, of conformance: String? = nil) -> String {
        let (name, words) = (valueType(kind), kind.row.words)
        let article = "AEIO".contains(name.prefix(1)) ? "an" : "a"
        let unit = kind.row.unit.symbol
        return comment([sentence(unit.isEmpty ? words.summary : "\(words.summary), in \(unit)"), words.details])
            + "public typealias \(name) = \(form)<\(name)Kind>\n\n"
            + comment(["The kind of \(article) `\(name)`."])
            + "public enum \(name)Kind: \(conformance ?? "\(form)Kind") {\n"
            + comment([sentence(words.summary)], indentation: "    ")
            + "    public static var kind: Kind { .\(kind.wire) }\n}\n"
    }

    private static func number(_ property: String, of kind: Kind) -> String {
        let unit = kind.row.unit.symbol
        return "\nextension \(valueType(kind)) {\n"
            + comment([unit.isEmpty ? "The number." : "The number, in \(unit)."], indentation: "    ")
            + "    public var \(property): Double { value }\n}\n"
    }

    private static func valueType(_ kind: Kind) -> String {
        kind.row.words.valueType ?? kind.wire.prefix(1).uppercased() + kind.wire.dropFirst()
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    /// A comment for documentation: a summary, and after an empty line what else there is.
    private static func comment(_ paragraphs: [String], indentation: String = "") -> String {
        paragraphs.filter { !$0.isEmpty }.map { "\(indentation)/// \($0)\n" }.joined(separator: "\(indentation)///\n")
    }
}
