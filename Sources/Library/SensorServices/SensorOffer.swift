/// What a program states of a sensor that it provides.
public struct SensorOffer: Hashable, Sendable {
    /// How far apart samples can be.
    public enum Intervals: Hashable, Sendable {
        /// The provider follows no wishes; its interval, as far as that is known.
        case own(Duration?)
        /// One of these.
        case oneOf([Duration])
        /// Any from the shortest to the longest.
        case range(ClosedRange<Duration>)
    }

    /// The program and its device, for people to read.
    public var device: String?
    /// Which intervals clients can have; the provider gets them in ``SensorProvider/demands``.
    public var intervals: Intervals
    /// How long it may send nothing although it works, as a sensor that reports only changes.
    public var rest: Duration?
    /// True if the samples are invented.
    public var isSimulated: Bool

    /// Creates an offer; without arguments, of a sensor that measures at an interval of its own.
    public init(
        device: String? = nil, intervals: Intervals = .own(nil), rest: Duration? = nil, isSimulated: Bool = false
    ) {
        self.device = device
        self.intervals = intervals
        self.rest = rest
        self.isSimulated = isSimulated
    }

    /// Why it is invalid; nil if it is valid.
    package var fault: SensorError? {
        let intervals =
            switch intervals {
            case .own(let interval): [interval].compactMap(\.self)
            case .oneOf(let intervals): intervals
            case .range(let range): [range.lowerBound, range.upperBound]
            }
        if let wrong = (intervals + [rest].compactMap(\.self)).first(where: { $0 <= .zero }) {
            return .invalidRequest("a sensor cannot be provided every \(wrong): an interval is more than zero")
        }
        if self.intervals == .oneOf([]) {
            return .invalidRequest("a sensor without an interval cannot be provided; use .own(nil) for any of its own")
        }
        return nil
    }
}
