@testable import Spool

/// A disk in memory: it can be full, lose its power, and return other bytes than were written.
final class ModelDisk: SpoolDisk {
    private(set) var files: [String: [UInt8]] = [:]
    /// How much of each file outlives a power cut; absent: not even its name does.
    private var durable: [String: [UInt8]] = [:]
    /// How many bytes fit; nil: any.
    var capacity: Int?
    private(set) var written = 0

    init(_ files: [String: [UInt8]] = [:]) {
        self.files = files
        durable = files
    }

    var used: Int { files.values.reduce(0) { $0 + $1.count } }

    func names() throws(DiskFailure) -> [String] { Array(files.keys) }

    func size(of name: String) throws(DiskFailure) -> Int { try content(name).count }

    func read(_ name: String, from offset: Int, most count: Int) throws(DiskFailure) -> [UInt8] {
        Array(try content(name).dropFirst(offset).prefix(count))
    }

    func create(_ name: String) throws(DiskFailure) {
        guard files[name] == nil else { throw DiskFailure(isFull: false, "\(name) is there") }
        files[name] = []
    }

    func append(_ bytes: [UInt8], to name: String) throws(DiskFailure) {
        let content = try content(name)
        guard used + bytes.count <= capacity ?? .max else { throw DiskFailure(isFull: true, "full") }
        files[name] = content + bytes
        written += bytes.count
    }

    func cut(_ name: String, to size: Int) throws(DiskFailure) { files[name] = Array(try content(name).prefix(size)) }

    func remove(_ name: String) throws(DiskFailure) { files[name] = nil }

    func sync(thenRemoving names: [String]) {
        durable = files
        for name in names { files[name] = nil }
    }

    private func content(_ name: String) throws(DiskFailure) -> [UInt8] {
        guard let bytes = files[name] else { throw DiskFailure(isFull: false, "no \(name)") }
        return bytes
    }

    /// What a power cut leaves: what was synced, and of what came later some of each file, perhaps with a torn end of noise.
    func afterPowerCut(_ dice: inout Dice) -> ModelDisk {
        var left: [String: [UInt8]] = [:]
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let safe = durable[name]
            guard safe != nil || dice.isHeads else { continue }
            let sure = min(safe?.count ?? 0, bytes.count)
            let end = sure + dice.below(bytes.count - sure + 1)
            var rest = Array(bytes.prefix(end))
            if dice.isHeads {
                for place in rest.indices.dropFirst(sure) where dice.below(40) == 0 { rest[place] ^= 0x10 }
            }
            left[name] = rest
        }
        // A file whose removal was not written down comes back.
        for (name, bytes) in durable.sorted(by: { $0.key < $1.key }) where files[name] == nil && dice.isHeads {
            left[name] = bytes
        }
        return ModelDisk(left)
    }

    func flip(_ dice: inout Dice) {
        guard let name = files.filter({ !$0.value.isEmpty }).keys.sorted().randomElement(using: &dice),
            var bytes = files[name]
        else {
            return
        }
        bytes[dice.below(bytes.count)] ^= UInt8(1 << dice.below(8))
        files[name] = bytes
    }

    /// A file that is there when the spool is opened.
    func put(_ bytes: [UInt8], as name: String) { files[name] = bytes }

    func mutate(_ change: (inout [UInt8]) -> Void) {
        for name in files.keys.sorted() {
            guard var bytes = files[name] else { continue }
            change(&bytes)
            files[name] = bytes
        }
    }
}

/// Numbers that one seed decides.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
    var isHeads: Bool { mutating get { next() >> 63 == 1 } }
}
