/// An interface and the text that defines it.
public struct InterfaceDescription: Equatable, Sendable {
    /// The qualified name: `io.sensorbroker.Broker`.
    public let name: String
    /// The definition, as GetInterfaceDescription returns it.
    public var text: String { String(decoding: definition, as: UTF8.self) }
    /// The names of its methods, as the definition declares them.
    public let methods: [String]
    /// The definition's bytes: those of the program itself, of which a text would be a copy that is seldom asked for.
    private let definition: [UInt8]

    /// Creates an interface from its definition, of which only the lines beginning with `interface` and `method` are
    /// read.
    public init(definition text: String) { self.init(definition: Array(text.utf8)) }

    private init(definition: [UInt8]) {
        self.definition = definition
        let text = String(decoding: definition, as: UTF8.self)
        name = Self.declared("interface ", in: text).first ?? ""
        methods = Self.declared("method ", in: text)
    }

    /// The names declared by the lines that begin with the keyword.
    private static func declared(_ keyword: String, in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix(keyword) }
            .map { line in String(line.dropFirst(keyword.count).prefix { $0 != "(" && $0 != " " }) }
    }
}

extension InterfaceDescription {
    /// The interface that every Varlink service provides.
    public static let service = InterfaceDescription(definition: PackageResources.org_varlink_service_varlink)
    /// Readings.
    public static let broker = InterfaceDescription(definition: PackageResources.io_sensorbroker_Broker_varlink)
    /// Status and control.
    public static let admin = InterfaceDescription(definition: PackageResources.io_sensorbroker_Admin_varlink)
    /// Programs as sensors.
    public static let feed = InterfaceDescription(definition: PackageResources.io_sensorbroker_Feed_varlink)
    /// Metrics, as systemd defines them.
    public static let metrics = InterfaceDescription(definition: PackageResources.io_systemd_Metrics_varlink)
    /// Faults of simulated devices.
    public static let mock = InterfaceDescription(definition: PackageResources.io_sensorbroker_Mock_varlink)
}

/// The grammar of interface names: two or more parts with dots between them, `io.sensorbroker.Broker`.
enum InterfaceName {
    /// A part consists of letters, digits and inner hyphens; the first part begins with a letter.
    static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, let first = text.utf8.first, isLetter(first) else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last else { return false }
            return first != hyphen && last != hyphen && part.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
        }
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
