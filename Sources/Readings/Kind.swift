/// What a resource measures: one row of the table of kinds.
///
/// Samples carry it, so it is no more than the number of its row. Everything that depends on the kind is asked of the row:
/// code that names one kind is about what only that kind has.
public struct Kind: Hashable, Sendable {
    private let number: UInt8

    /// The kind in a row of the table; `KindTests` compares the constants below with their rows.
    private init(row number: UInt8) { self.number = number }

    /// Position, speed and time of a receiver.
    public static var location: Self { Self(row: 0) }
    /// Acceleration along the axes of the device, gravity included.
    public static var acceleration: Self { Self(row: 1) }
    /// Which edge of the device is up.
    public static var orientation: Self { Self(row: 2) }

    /// Angular velocity about the axes of the device.
    public static var angularVelocity: Self { Self(row: 3) }

    /// All kinds, in the order of the table.
    public static let all = KindRow.table.indices.map { Self(row: UInt8($0)) }

    /// The kind with this name on the wire.
    public init?(wire name: String) {
        guard let kind = Self.all.first(where: { $0.row.wire == name }) else { return nil }
        self = kind
    }

    /// The kind that resources with this word in their names measure: `accelerometer`.
    public init?(resource word: some StringProtocol) {
        guard let kind = Self.all.first(where: { $0.row.resource == word }) else { return nil }
        self = kind
    }

    /// Its bit in a set of kinds.
    fileprivate var bit: UInt64 { 1 << UInt64(number) }

    /// Everything that is known of the kind.
    public var row: KindRow { KindRow.table[Int(number)] }

    /// Its name on the wire.
    public var wire: String { row.wire }
}

/// Some of the kinds: those of a device, or those that are wanted of it.
public struct KindSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    /// Every kind.
    public static let all = Self(Kind.all)

    /// A set of these.
    public init(_ kinds: some Sequence<Kind>) { for kind in kinds { insert(kind) } }

    /// A set of these.
    public init(arrayLiteral kinds: Kind...) { self.init(kinds) }

    /// Whether no kind is in it.
    public var isEmpty: Bool { bits == 0 }

    /// Those in it, in the order of the table.
    public var kinds: [Kind] { Kind.all.filter(contains) }

    /// Whether a kind is in it.
    public func contains(_ kind: Kind) -> Bool { bits & kind.bit != 0 }

    /// Takes in a kind.
    public mutating func insert(_ kind: Kind) { bits |= kind.bit }

    /// Those in either.
    public func union(_ other: Self) -> Self {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// Those in both.
    public func intersection(_ other: Self) -> Self {
        var intersection = self
        intersection.bits &= other.bits
        return intersection
    }
}

/// What is known of a kind.
public final class KindRow: Sendable {
    /// What a measurement consists of.
    public enum Form: Sendable {
        /// A `Location`, whose fields are in `LocationField`.
        case location
        /// One number a channel.
        case values
        /// One of the words of `Orientation`.
        case orientation
    }

    /// In which axes the channels stand.
    public enum Frame: Sendable {
        /// In those of the device that the chip is in: its mount matrix applies.
        case device
        /// In none.
        case none
    }

    /// When readings come.
    public enum Reporting: Sendable {
        /// At an interval.
        case continuous
        /// Where something has changed; a reading holds until the next one.
        case onChange
    }

    /// What stands for the samples of an interval.
    public enum Mean: Sendable {
        /// The arithmetic mean of each channel; the fields of a location have rules of their own.
        case arithmetic
        /// The newest sample: there is nothing between two values.
        case newest
    }

    /// How far apart two measurements are.
    public enum Change: Sendable {
        /// The length of the difference vector, in the unit of the channels.
        case norm
        /// Metres along the ellipsoid.
        case greatCircle
        /// Anything other is news, and has no amount.
        case any
    }

    /// Who may read a kind for which nothing is configured; root and the daemon's own user always may.
    public enum Access: Equatable, Sendable {
        /// Nobody else.
        case closed
        /// Everybody who can connect.
        case everyone
        /// Those who may read another kind, of which this one tells.
        case like(Kind)
    }

    /// Where samples come from.
    public enum Source: Equatable, Sendable {
        /// Channels of this type of an IIO device, whose processed unit is so many of ours.
        case iio(channelType: String, factor: Double)
        /// A driver of its own.
        case driver
        /// Readings of another kind.
        case derived(from: Kind)
    }

    /// What a simulated device measures where its scenario does not say it.
    public enum Signal: Sendable {
        /// A drive through a city.
        case drive
        /// A device held in a hand, with gravity.
        case hand
        /// Each channel swings about a value, as far as the amplitude.
        case swing(around: Double, amplitude: Double)
        /// There is no simulated device.
        case none
    }

    /// The name on the wire.
    public let wire: String
    /// The word for resources, configuration sections (capitalized) and scenario sections.
    public let resource: String
    /// What a measurement consists of.
    public let form: Form
    /// The names of its numbers on the wire and in tables, at most `Values.mostChannels`; none for other forms.
    public let channels: [StaticString]
    /// How else tables of loggers call it, in front of the name of a channel: `acc` of `acc_x`.
    public let otherNames: [String]
    /// The unit of its numbers; of a change, for a location.
    public let unit: Unit
    /// In which axes the channels stand.
    public let frame: Frame
    /// When readings come.
    public let reporting: Reporting
    /// What stands for the samples of an interval.
    public let mean: Mean
    /// How far apart two measurements are.
    public let change: Change
    /// What the number of a channel can be; generous, to catch nonsense and not to judge sensors.
    public let range: ClosedRange<Double>
    /// The shortest interval as long as the device has not said what it can do.
    public let shortestNanoseconds: Int64
    /// What a request without an interval gets.
    public let standardNanoseconds: Int64
    /// Who may read it where nothing is configured.
    public let access: Access
    /// Where samples come from.
    public let source: Source
    /// What a simulated device measures.
    public let mock: Signal
    /// The ends of the range for each channel; beyond the channels anything can be.
    private let lowest: SIMD4<Double>
    private let highest: SIMD4<Double>

    init(
        _ wire: String, resource: String, form: Form = .values, channels: [StaticString] = [],
        otherNames: [String] = [], unit: Unit = .none,
        frame: Frame = .none, reporting: Reporting = .continuous, mean: Mean = .arithmetic, change: Change = .norm,
        range: ClosedRange<Double> = -1e12...1e12, shortestNanoseconds: Int64 = 1_000_000,
        standardNanoseconds: Int64 = 100_000_000, access: Access = .closed, source: Source, mock: Signal = .none
    ) {
        self.wire = wire
        self.resource = resource
        self.form = form
        self.channels = channels
        self.otherNames = otherNames
        self.unit = unit
        self.frame = frame
        self.reporting = reporting
        self.mean = mean
        self.change = change
        self.range = range
        self.shortestNanoseconds = shortestNanoseconds
        self.standardNanoseconds = standardNanoseconds
        self.access = access
        self.source = source
        self.mock = mock
        var (lowest, highest) = (SIMD4(repeating: -Double.infinity), SIMD4(repeating: Double.infinity))
        for channel in channels.indices { (lowest[channel], highest[channel]) = (range.lowerBound, range.upperBound) }
        (self.lowest, self.highest) = (lowest, highest)
    }

    /// Whether each channel has a value that can be; not a number cannot.
    func isPossible(_ vector: SIMD4<Double>) -> Bool { all((vector .>= lowest) .& (vector .<= highest)) }

    /// Whether a device measures it, which can be configured, simulated, released and can fail.
    public var hasDevice: Bool {
        if case .derived = source { false } else { true }
    }

    /// The kind whose policy decides who may read it where it has none of its own; nil: there is none.
    public var guardian: Kind? {
        if case .like(let kind) = access { kind } else { nil }
    }

    /// The section of the configuration that is about it: `Accelerometer`.
    public var section: String { resource.prefix(1).uppercased() + resource.dropFirst() }

    /// The name of the first resource of the kind; further ones have a suffix.
    public var firstResource: ResourceName { ResourceName(word: resource) }
}

extension KindRow {
    /// A unit of measurement.
    public struct Unit: Sendable {
        /// How the unit is written: `m/s²`.
        public let symbol: String
        /// Other ways to write it, and other units, each with how many of this unit it is.
        public let aliases: [(name: String, factor: Double)]
        /// Digits behind the point that are worth printing.
        public let decimals: Int

        init(_ symbol: String, _ aliases: [(name: String, factor: Double)] = [], decimals: Int) {
            self.symbol = symbol
            self.aliases = aliases
            self.decimals = decimals
        }

        /// No unit: what has no amount.
        static let none = Unit("", decimals: 0)

        /// How it can be written, for people: `m/s2, g or mg`.
        public var words: String {
            let names = [plain] + aliases.filter { $0.factor != 1 }.map(\.name)
            return names.count < 2 ? symbol : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        }

        /// How it is written without a letter that keyboards lack: `m/s2`.
        public var plain: String { aliases.first { $0.factor == 1 }?.name ?? symbol }

        /// How many of this unit a unit is, by the ways to write it; nil for a word that is none of them.
        public func factor(of name: some StringProtocol) -> Double? {
            name == symbol ? 1 : aliases.first { $0.name == name }?.factor
        }
    }
}
