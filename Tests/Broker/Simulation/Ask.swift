internal import Delivery
internal import Readings

/// The request of a simulated client.
struct Ask: Equatable, Sendable {
    /// Which of the device's resources; numbers beyond the last wrap around.
    var resource = 0
    /// Which of the client's requests for the resource.
    var label: UInt32 = 0
    var interval: Int64
    var batch: Int64 = 0
    var filter = Filter.newest
    var minimumChange: Double?

    var request: Request {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        request.filter = filter
        request.minimumChange = minimumChange
        return request
    }

    /// A request like those of people: often round, often equal to others.
    static func random(_ dice: inout Dice, period: Int64) -> Ask {
        var ask = Ask(interval: interval(&dice, period: period))
        if dice.oneIn(4) { ask.batch = dice.oneIn(2) ? dice.span(1_000_000, 5_000_000_000) : max(1, ask.interval) * 4 }
        if dice.oneIn(4) { ask.filter = .mean }
        if dice.oneIn(6) { ask.minimumChange = Double(dice.between(1, 30)) / 10 }
        return ask
    }

    private static func interval(_ dice: inout Dice, period: Int64) -> Int64 {
        switch dice.between(0, 9) {
        case 0, 1: 0
        case 2, 3: dice.pick([10_000_000, 20_000_000, 50_000_000, 100_000_000, 200_000_000, 1_000_000_000])
        case 4: period
        case 5: period * dice.between(1, 20)
        case 6: period + dice.between(1, period)
        case 7: dice.span(1, 60_000_000_000)
        default: dice.between(period / 2, period * 12)
        }
    }
}

extension Ask: CustomStringConvertible {
    var description: String {
        var text = "\(filter.rawValue) every \(interval) ns"
        if batch > 0 { text += ", batch \(batch) ns" }
        if resource > 0 { text += ", of resource \(resource)" }
        if label > 0 { text += ", label \(label)" }
        if let minimumChange { text += ", change \(minimumChange)" }
        return text
    }
}
