import Configuration
import Fleet
import Foundation
import Spool
import Testing
import TestTools

@testable import sensorbroker_mqtt

/// How many seeds of each kind of chaos; `make chaos` takes more.
private let seeds = ProcessInfo.processInfo.environment["CHAOS_SEEDS"].flatMap { UInt64($0) } ?? 10

/// Everything is killed, cut, stalled and refused as a seed decides; then nothing may be missing that was not reported.
@Suite struct ChaosTests {
    @Test("chaos loses nothing", arguments: 0..<seeds)
    func chaos(seed: UInt64) throws {
        let rig = try rig(afterChaosOf: seed)
        #expect(rig.receiver.losses.isEmpty && !rig.receiver.hasContradiction && rig.receiver.unreadable == 0)
        for epoch in rig.receiver.epochs(of: "location") {
            let numbers = rig.receiver.counts.keys.filter { $0.resource == "location" && $0.epoch == epoch }.map(
                \.number)
            #expect(numbers.max() == UInt64(numbers.count), "each number from 1 to the newest")
        }
    }

    @Test("each reading is delivered or lies in a gap, and none in both", arguments: 20..<20 + seeds)
    func gaps(seed: UInt64) throws {
        let rig = try rig(afterChaosOf: seed, boots: false)
        #expect(rig.faults("location", every: 500_000_000).isEmpty && rig.faults(every: 1_000_000_000).isEmpty)
    }

    private func rig(afterChaosOf seed: UInt64, boots: Bool = true) throws -> BridgeRig {
        var dice = SeededGenerator(seed: seed)
        let rig = try BridgeRig([("location", "500ms"), ("light", "1s batch 3s")]) { settings in
            settings.order = seed.isMultiple(of: 4) ? .oldest : .live
            settings.backlogSpeed = seed.isMultiple(of: 3) ? 10 : nil
        }
        rig.server.answer = { topic, _ in
            // Now and then a server has too much to do, or nobody is there.
            topic.hasSuffix("status") || dice.below(50) > 0 ? .reason(0) : .reason([0x97, 0x10, 0x83][dice.below(3)])
        }
        let hasPriorities = (12..<20).contains(seed) || seed >= 32
        func start() throws {
            // Priorities may be others at each start.
            if hasPriorities { rig.settings.readings = try Self.readings(&dice) }
            try rig.start()
        }
        if hasPriorities { rig.settings.bundle = .init(nanoseconds: Int64(1 + dice.below(20)) * 1_000_000_000) }
        try start()
        for _ in 0..<20 {
            rig.random = Double(dice.below(100)) / 100
            try rig.run(seconds: 0.5 + Double(dice.below(250)) / 100)
            switch dice.below(boots ? 8 : 7) {
            case 0:
                rig.isReading = dice.below(2) == 0
                try rig.run(seconds: 1)
                rig.server.kill()
                rig.isReading = true
            case 1:
                rig.kill()
                try rig.run(seconds: Double(dice.below(10)))
                try start()
            case 2:
                try rig.stop()
                try start()
            case 3: rig.server.cut()
            case 4:
                rig.server.set(.stalled)
                try rig.run(seconds: Double(1 + dice.below(60)))
                rig.server.set(.open)
            case 5:
                try rig.runWithoutServer(seconds: Double(1 + dice.below(30)))
            case 6:
                rig.broker.kill()
                try rig.run(seconds: Double(dice.below(10)))
                rig.broker.start()
            default:
                rig.kill()
                rig.boot = .init(utcMicroseconds: 1, random: (dice.next(), 1))
                try start()
            }
        }
        try rig.runUntilComplete(within: 3_600)
        return rig
    }

    /// What is sent, each with some priority and perhaps a quota.
    private static func readings(_ dice: inout SeededGenerator) throws -> [WantedReading] {
        try [("location", "500ms"), ("light", "1s batch 3s")].map { resource, text in
            let priority = Priority.allCases[dice.below(3)].rawValue
            let quota = dice.below(3) == 0 ? " quota 50%" : ""
            return try WantedReading(resource: resource, parsing: "\(text) priority \(priority)\(quota)")
        }
    }
}
