internal import Simulation

/// The sensors and programs of a host, and what its clients and chance do: everything follows from the seed.
public struct HostScenario: Sendable {
    /// How gyroscope and accelerometer are connected.
    enum Shape: CaseIterable {
        case oneChip
        case twoChips
        case onProgram
        case chipAndProgram
    }

    enum Step: Sendable {
        case run(Int64)
        case subscribe(client: Int, to: Int, every: Int64)
        case leave(client: Int)
        case stall(source: Int, Int64)
        case lose(source: Int, Int)
        case vanish(source: Int, Int64)
        case release(source: Int)
        case reacquire
        case rival(source: Int)
    }

    /// The seed.
    public let seed: UInt64
    let shape: Shape
    let hasMagnetometer: Bool
    let gyroscopeNanoseconds: Int64
    let accelerometerNanoseconds: Int64
    let delay: Int64
    var steps: [Step] = []

    /// The scenario of a seed.
    public init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.seed = seed
        shape = dice.pick(Shape.allCases)
        hasMagnetometer = dice.oneIn(3)
        gyroscopeNanoseconds = dice.pick([5_000_000, 8_000_000, 10_000_000, 20_000_000])
        accelerometerNanoseconds = dice.pick([10_000_000, 16_000_000, 20_000_000, 40_000_000])
        delay = dice.oneIn(2) ? 0 : dice.between(10_000, 8_000_000)
        for _ in 0..<30 {
            steps.append(Self.step(&dice))
            steps.append(
                .run(dice.oneIn(6) ? dice.between(3_000_000_000, 15_000_000_000) : dice.span(1_000_000, 2_000_000_000)))
        }
    }

    private static func step(_ dice: inout Dice) -> Step {
        let (client, source) = (Int(dice.between(0, 7)), Int(dice.between(0, 2)))
        switch dice.between(0, 20) {
        case 0...8:
            let interval: Int64 =
                dice.oneIn(2) ? 0 : dice.pick([10_000_000, 20_000_000, 50_000_000, 300_000_000, 1_000_000_000])
            return .subscribe(client: client, to: Int(dice.between(0, 30)), every: interval)
        case 9, 10: return .leave(client: client)
        case 11, 12: return .stall(source: source, dice.span(20_000_000, 40_000_000_000))
        case 13, 14: return .lose(source: source, Int(dice.span(1, 60)))
        case 15, 16: return .vanish(source: source, dice.span(1_000_000, 5_000_000_000))
        case 17: return .release(source: source)
        case 18: return .reacquire
        default: return .rival(source: source)
        }
    }
}
