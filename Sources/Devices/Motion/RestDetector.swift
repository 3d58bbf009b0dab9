/// Whether the device lies still: its rates and accelerations keep to their means, and nothing shows that it turns.
struct RestDetector {
    /// The means of the last half second, as measured, since something moved.
    struct Means {
        var rate = Vector3.zero
        var acceleration = Vector3.zero
        /// Zero without a calibrated magnetometer.
        var field = Vector3.zero
    }

    private(set) var means = Means()

    private var window = RestWindow()
    private var stillSeconds = 0.0
    private var fieldSeconds = 0.0
    private var pause = 0.0
    private var hasAcceleration = false

    private static let meanSeconds = 0.5
    private static let pauseSeconds = 0.1
    private static let mostRate = 2 * .pi / 180.0
    private static let mostAcceleration = 0.5
    /// A field that is older shows nothing of now.
    private static let oldestFieldSeconds = 0.5

    var isAtRest: Bool { window.isAtRest }
    /// The bias before what may yet show to be a turn; nil: nothing may.
    var biasBefore: GyroscopeBias? { window.biasBefore }

    mutating func take(rate: Vector3, after seconds: Double) {
        stillSeconds += seconds
        let apart = rate - means.rate
        means.rate += apart * part(of: seconds)
        if apart.lengthSquared >= Self.mostRate * Self.mostRate { move() }
    }

    mutating func take(acceleration: Vector3, after seconds: Double) {
        let apart = acceleration - means.acceleration
        means.acceleration += apart * part(of: seconds)
        hasAcceleration = true
        if apart.lengthSquared > Self.mostAcceleration * Self.mostAcceleration { move() }
    }

    mutating func take(field: Vector3, after seconds: Double) {
        means.field += (field - means.field) * part(of: seconds)
        fieldSeconds = 0
    }

    /// What a sample counts for in a mean: nothing is left of what was before something moved.
    private func part(of seconds: Double) -> Double {
        stillSeconds > seconds ? min(1, seconds / min(stillSeconds, Self.meanSeconds)) : 1
    }

    private mutating func move() {
        stillSeconds = 0
        if window.isOpen { window = RestWindow() }
    }

    /// Looks at a while that is over, and teaches what a rest shows of the bias.
    mutating func takeStock(teaching bias: inout GyroscopeBias, after seconds: Double) {
        fieldSeconds += seconds
        pause += seconds
        guard hasAcceleration, stillSeconds >= Self.meanSeconds, pause >= Self.pauseSeconds else { return }
        if fieldSeconds > Self.oldestFieldSeconds { means.field = .zero }
        window.take(means, teaching: &bias, after: min(pause, Self.meanSeconds))
        pause = 0
    }
}
