/// What a gyroscope shows when nothing turns it, and how well that is known.
///
/// It is seen at rest, as far as the rest is one (`RestProof`), and in motion by the corrections of the vertical.
package struct GyroscopeBias: Equatable, Sendable, BitwiseCopyable {
    /// In radians per second, along the device's axes.
    package private(set) var value: Vector3
    private var covariance: Covariance
    /// Whether anything was ever seen of it at rest, and all of it.
    private var hasRested: Bool
    private var isKnown: Bool
    /// Whether all of it was seen since this began, and not before.
    private var isLearnt = false
    /// Whether a long rest may overrule it, once.
    private var isOpen: Bool
    /// Which part of it may be a turn that went on, along the device's axes: its length is a standard deviation.
    private var doubt = Vector3.zero

    private static let degree = Double.pi / 180
    /// How uncertain the bias of a chip is of which nothing is known.
    private static let unknown = 0.8 * degree
    /// That of a chip which is as bad as they are sold.
    static let worst = 20.0 * degree
    /// A bias changes by that from one rest to the next, as a chip warms up.
    private static let sudden = 1.0 * degree
    /// Chips are sold with such a bias, and seldom does a device turn as slowly and evenly.
    private static let usual = 2.0 * degree
    /// How much another one it is after a start, for each kelvin, and after a day: it wanders.
    private static let ofStart = 0.1 * degree
    private static let ofKelvin = 0.02 * degree
    private static let ofDay = 0.02 * degree
    /// By how much a chip is warmer than when its bias was learnt, where nothing shows it.
    private static let usualKelvin = 5.0
    /// For so long a bias is seen that is not to be expected; one that is nearly usual, for nearly so long.
    private static let doubtfulSeconds = 10.0
    /// That of a mean rate at rest, as a variance over a second, in (rad/s)² s.
    private static let restNoise = 0.0081 * degree * degree
    /// How fast it wanders: 0.1 °/s in 100 s, as a random walk, in (rad/s)² per second.
    private static let wander = 1e-4 * degree * degree

    /// The bias of a chip of which nothing is known.
    package init() {
        self.init(.zero, uncertain: Self.unknown)
        hasRested = false
        isKnown = false
        isOpen = true
    }

    /// A bias as it was known before, with its standard deviation along each axis, in radians per second.
    package init(_ value: Vector3, uncertain deviation: Double, mayBeOverruled: Bool = false) {
        self.value = value
        covariance = Covariance(deviation: deviation)
        hasRested = true
        isKnown = true
        isOpen = mayBeOverruled
    }

    /// A bias as a filter learnt it in another run, at a time in seconds of UTC and, if that is known, so many degrees
    /// Celsius: each start, each kelvin and each day make it more uncertain.
    package init(learnt: SensorCalibration, utcSeconds: Int64, celsius: Double?) {
        var kelvin = Self.usualKelvin
        if let celsius, let then = learnt.celsius { kelvin = abs(celsius - then) }
        let days = Double(max(0, utcSeconds - learnt.utcSeconds)) / 86_400
        let warmer = Self.ofKelvin * kelvin
        let square =
            learnt.error * learnt.error + Self.ofStart * Self.ofStart + warmer * warmer
            + Self.ofDay * Self.ofDay * days
        self.init(learnt.offset, uncertain: min(Self.unknown, square.squareRoot()), mayBeOverruled: true)
    }

    /// Its standard deviation along the axis of which least is known, in radians per second.
    package var uncertainty: Double { covariance.most.squareRoot() }

    /// Whether it was seen at rest since it began, and nothing makes one doubt that rest.
    package var isSure: Bool { isLearnt && doubt == .zero }

    /// Its variance along a direction of length 1.
    func variance(along direction: Vector3) -> Double { covariance.along(direction) }

    /// Its variance across a direction of length 1.
    func variance(across direction: Vector3) -> Double { covariance.across(direction) }

    /// Takes what time makes uncertain.
    mutating func age(seconds: Double) { covariance.age(by: Self.wander * seconds, to: Self.unknown * Self.unknown) }

    /// Takes what was seen of it along a direction of length 1.
    mutating func observe(_ observed: Double, along direction: Vector3, variance: Double) {
        let surprise = observed - direction.dot(value)
        value += covariance.observe(along: direction, variance: variance) * surprise
    }

    // MARK: at rest

    /// What makes the rate about the vertical a bias that was seen for so long, at rest or in a slow turn.
    func proof(of sight: StillJudge.Sight, seenFor seconds: Double) -> RestProof {
        let (usual, known) = (Self.usual(of: sight), value.dot(sight.up))
        let surprise = abs(sight.upward - known)
        let most = isKnown ? min(2.5 * variance(along: sight.up).squareRoot(), usual) : usual
        let needed = Self.doubtfulSeconds * surprise / usual
        if surprise <= max(most, Self.sudden) { return seconds >= needed ? .expected : .none }
        if doubt != .zero, abs(sight.upward) <= usual { return .expected }
        guard isOpen, seconds >= Self.doubtfulSeconds else { return .none }
        return !isKnown || abs(sight.upward) <= max(usual, abs(known)) ? .doubted(surprise / 2) : .none
    }

    /// A chip that is off by much about the horizontal axes, which gravity shows, is so about the vertical.
    private static func usual(of sight: StillJudge.Sight) -> Double { max(usual, sight.horizontal.length) }

    /// Takes what the gyroscope showed for a while; returns whether it was a rest.
    mutating func observe(atRest sight: StillJudge.Sight, for seconds: Double) -> Bool {
        guard let rows = Quaternion(uprighting: sight.up)?.rows else { return false }
        let noise = Self.restNoise / seconds
        if !hasRested { value = sight.horizontal + rows.up * value.dot(rows.up) }
        hasRested = true
        observe(sight.horizontal.dot(rows.east), along: rows.east, variance: noise)
        observe(sight.horizontal.dot(rows.north), along: rows.north, variance: noise)
        guard sight.vertical != .none else { return false }
        if !isKnown { value = sight.horizontal + rows.up * sight.upward }
        (isKnown, isLearnt) = (true, true)
        observe(sight.upward, along: rows.up, variance: noise)
        weigh(sight)
        return true
    }

    /// What may be a turn does not become more certain as it goes on; in another attitude, gravity would turn with it.
    private mutating func weigh(_ sight: StillJudge.Sight) {
        var isUsual = sight.vertical == .proven || abs(sight.upward) <= Self.usual(of: sight)
        if case .doubted(let deviation) = sight.vertical {
            isOpen = isOpen && doubt == .zero
            doubt = sight.up * deviation
            isUsual = false
        }
        let square = doubt.lengthSquared
        guard square > 0 else { return }
        let along = doubt.dot(sight.up)
        let axis = doubt * (1 / square.squareRoot())
        if along * along < square * 3 / 4 {
            if variance(along: axis) < square / 4 { doubt = .zero }
        } else if isUsual {
            doubt = .zero
        } else {
            covariance.grow(along: axis, to: square)
        }
    }
}
