/// The mean square of an error that shows while the device turns, since in one attitude it always looks alike.
///
/// It begins with what is expected of a chip, and replaces that as the device turns.
struct LearntSquare {
    private var square: Double
    private let forgettingRadians: Double

    init(expecting error: Double, afterTurning radians: Double) {
        square = error * error
        forgettingRadians = radians
    }

    mutating func take(_ errorSquare: Double, turned radians: Double) {
        square += (errorSquare - square) * min(1, radians / forgettingRadians)
        assert(square >= 0)
    }

    var root: Double { square.squareRoot() }
}
