/// What a gyroscope shows while nothing turns it: its bias, from some seconds at rest.
///
/// A turn that is slow and even looks like bias; nobody who was asked to put the device down makes one.
package struct RestingRate: Sendable {
    /// The bias, in radians per second, with one standard deviation.
    package struct Bias: Equatable, Sendable {
        package let value: Vector3
        package let error: Double
    }

    private var began: Double?
    private var count = 0.0
    private var mean = Vector3.zero
    /// The sum of the squared differences from the mean, of all three axes.
    private var squares = 0.0
    /// The mean of the first half, which the second one must resemble.
    private var firstHalf: Vector3?
    /// How often it moved.
    package private(set) var interruptions = 0

    private static let degree = Double.pi / 180
    private static let neededSeconds = 3.0
    /// A chip that is so far off is seen for longer, before that is taken for its bias.
    private static let usualBias = 2 * degree
    private static let usualBiasSeconds = 10.0
    /// No chip is worse.
    private static let mostBias = 10 * degree
    /// What is further from the mean is a motion.
    private static let motion = 2 * degree
    /// The halves of a rest do not differ by more.
    private static let drift = 0.2 * degree
    private static let leastCount = 30.0
    /// The bias wanders, whatever the mean is.
    private static let leastError = 0.02 * degree

    package init() {}

    /// Takes a rate, in radians per second, at a time in seconds; returns whether the device rests.
    @discardableResult
    package mutating func take(_ rate: Vector3, at seconds: Double) -> Bool {
        guard rate.isWithin(Outcome.mostRate) else { return began != nil }
        guard let began else {
            begin(rate, at: seconds)
            return true
        }
        let apart = rate - mean
        // The mean of the first few is not one yet.
        guard apart.length < Self.motion * (count < 5 ? 2 : 1), !isAdrift else {
            interruptions += 1
            begin(rate, at: seconds)
            return false
        }
        count += 1
        mean += apart * (1 / count)
        squares += apart.dot(rate - mean)
        if firstHalf == nil, seconds - began >= Self.neededSeconds / 2 { firstHalf = mean }
        elapsed = seconds - began
        return true
    }

    private var elapsed = 0.0

    private mutating func begin(_ rate: Vector3, at seconds: Double) {
        began = seconds
        count = 1
        mean = rate
        squares = 0
        firstHalf = nil
        elapsed = 0
    }

    /// Whether it turns ever faster, or ever slower.
    private var isAdrift: Bool {
        guard let firstHalf else { return false }
        return (mean - firstHalf).length > Self.drift / 2
    }

    private var neededSeconds: Double {
        mean.isWithin(Self.usualBias) ? Self.neededSeconds : Self.usualBiasSeconds
    }

    /// How much of the time is over that it takes, from 0 to 1.
    package var progress: Double { min(1, elapsed / neededSeconds, count / Self.leastCount) }

    /// The bias; nil until it is known, or if no chip is so far off.
    package var bias: Bias? {
        guard progress >= 1, mean.isWithin(Self.mostBias), !isAdrift else { return nil }
        // Neighbouring samples of a filtered chip are alike: the mean is four times as uncertain as if they were not.
        let ofMean = 16 * squares / 3 / (count * count)
        return Bias(value: mean, error: (ofMean + Self.leastError * Self.leastError).squareRoot())
    }

    /// Whether more shows at rest than any chip's bias.
    package var isImpossible: Bool { progress >= 1 && !mean.isWithin(Self.mostBias) }
}
