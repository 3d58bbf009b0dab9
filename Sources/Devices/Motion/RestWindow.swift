/// A while in which nothing jerks: a rest, or a turn that is slow and even.
///
/// A gyroscope cannot distinguish its bias from such a turn (see `StillJudge`). What was learnt from a rest that
/// turns out to be one is forgotten.
struct RestWindow {
    private(set) var isAtRest = false

    var isOpen: Bool { judge != nil }

    /// The bias before what may yet show to be a turn; nil: nothing may.
    var biasBefore: GyroscopeBias? { before?.bias }

    private var judge: StillJudge?
    private var seconds = 0.0
    /// The bias as it was before this taught something, and for how long it is so old.
    private var before: (bias: GyroscopeBias, seconds: Double)?
    /// For how long it has been known that it turned.
    private var turningSeconds: Double?

    /// For so long a turn may look like a rest.
    private static let rememberingSeconds = 20.0
    /// A turn that grows into a motion within that was its beginning, and there was a rest before it.
    private static let beginningSeconds = 1.0

    /// Looks at a while without a jerk.
    mutating func take(_ now: RestDetector.Means, teaching bias: inout GyroscopeBias, after pause: Double) {
        guard isOpen else { return open(now, bias) }
        seconds += pause
        before?.seconds += pause
        if let before, let turning = turningSeconds {
            turningSeconds = turning + pause
            if turning + pause >= Self.beginningSeconds { forget(&bias, for: before) }
        }
        switch judge?.verdict(now, seconds: seconds, after: pause) {
        case .turns:
            let (before, turning) = (before, turningSeconds ?? 0)
            open(now, bias)
            if before != nil { (self.before, turningSeconds) = (before, turning) }
        case .rests(let sight):
            if before?.seconds ?? .infinity > Self.rememberingSeconds { before = (bias, 0) }
            isAtRest = bias.observe(atRest: sight, for: pause)
        default: isAtRest = false
        }
    }

    private mutating func open(_ now: RestDetector.Means, _ bias: GyroscopeBias) {
        self = Self()
        judge = StillJudge(now, bias)
    }

    private mutating func forget(_ bias: inout GyroscopeBias, for before: (bias: GyroscopeBias, seconds: Double)) {
        bias = before.bias
        bias.age(seconds: before.seconds)
        self.before = nil
        turningSeconds = nil
        judge?.bias = bias
    }
}
