internal import Delivery
internal import Mock
internal import Readings

/// A device, and the events of the device and its clients: everything is decided by the seed.
public struct Scenario: Equatable, Sendable {
    /// The seed.
    public let seed: UInt64
    var device: DeviceTraits
    var steps: [Step]

    /// The scenario of a seed.
    public init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.seed = seed
        device = DeviceTraits(&dice, seed: seed)
        let crowd = dice.oneIn(40) ? dice.between(100, 300) : dice.span(1, 24)
        steps = []
        let usual = device.usualPeriod
        let pool = (0..<4).map { _ in Ask.random(&dice, period: usual) }
        for _ in 0..<(crowd > 100 ? 400 : 150) {
            let client = Client(Int(dice.between(1, crowd)))
            let ask = dice.oneIn(2) ? dice.pick(pool) : Ask.random(&dice, period: usual)
            steps.append(Self.step(&dice, client, ask, period: usual))
            if !dice.oneIn(4) { steps.append(.run(dice.span(usual / 4, usual * (crowd > 100 ? 8 : 80)))) }
        }
        steps.append(.run(usual * 40))
        spread()
        multiply()
    }

    /// In a third of all scenarios, clients have several requests for a resource.
    private mutating func multiply() {
        var dice = Dice(seed: seed &+ 0x9e37_79b9)
        guard dice.oneIn(3) else { return }
        set(\.label) { UInt32(dice.between(0, 3)) }
    }

    /// If a device has several resources, clients choose among them.
    private mutating func spread() {
        guard device.kinds.count > 1 else { return }
        var dice = Dice(seed: ~seed)
        let last = Int64(device.kinds.count - 1)
        set(\.resource) { Int(dice.between(0, last)) }
    }

    /// Sets a field of what clients ask for, to one value for each step.
    private mutating func set<Value>(_ field: WritableKeyPath<Ask, Value>, _ next: () -> Value) {
        for index in steps.indices {
            let value = next()
            switch steps[index] {
            case .join(let client, var ask):
                ask[keyPath: field] = value
                steps[index] = .join(client: client, ask)
            case .modify(let client, var ask):
                ask[keyPath: field] = value
                steps[index] = .modify(client: client, ask)
            default: break
            }
        }
    }

    /// A scenario written by hand.
    init(seed: UInt64, device: DeviceTraits, steps: [Step]) {
        (self.seed, self.device, self.steps) = (seed, device, steps)
    }

    /// The scenario that a fuzzer's bytes describe: a few for the device, then a few for each step.
    public init(_ bytes: [UInt8]) {
        var dice = Dice(bytes[...])
        seed = dice.next()
        device = DeviceTraits(&dice, seed: seed)
        steps = []
        let usual = device.usualPeriod
        while !dice.isExhausted, steps.count < 1_000 {
            let client = Client(Int(dice.between(1, 6)))
            let ask = Ask.random(&dice, period: usual)
            steps.append(Self.step(&dice, client, ask, period: usual))
            steps.append(.run(dice.span(usual / 4, usual * 40)))
        }
        steps.append(.run(usual * 40))
        spread()
        multiply()
    }

    private static func step(_ dice: inout Dice, _ client: Client, _ ask: Ask, period: Int64) -> Step {
        switch dice.between(0, 30) {
        case 0...8: .join(client: client, ask)
        case 9...11: .leave(client: client)
        case 12...15: .modify(client: client, ask)
        case 16...18: .sleep(client: client)
        case 19...21: .wake(client: client)
        case 22: .read
        case 23: .fault(.stall, dice.span(period, period * 60))
        case 24, 25: .fault(.late, dice.span(period, period * 40))
        case 26, 27: .fault(.overflow(Int(dice.span(1, 40))), 0)
        case 28:
            dice.oneIn(4)
                ? .release(dice.span(period, period * 40)) : .fault(.unplug, dice.span(period, period * 40))
        case 29: .suspend(dice.span(period, 7_200_000_000_000))
        default: .run(dice.span(period, period * 400))
        }
    }
}

extension Scenario: CustomStringConvertible {
    /// The device, then one step per line.
    public var description: String {
        (["seed \(seed)", "\(device)"] + steps.map { "\($0)" }).joined(separator: "\n  ")
    }
}
