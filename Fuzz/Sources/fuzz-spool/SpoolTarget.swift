@testable internal import Spool

/// A disk of up to three files whose bytes are the input.
private final class FoundDisk: SpoolDisk {
    private var files: [String: [UInt8]] = [:]

    /// The first byte says how many files there are, and whether their checksums are made right.
    init(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let count = Int(first & 3)
        let rest = input.dropFirst()
        for index in 0..<count {
            let size = rest.count / count
            var bytes = Array(rest.dropFirst(index * size).prefix(size))
            if first & 4 != 0 { Self.sign(&bytes) }
            files[Segment.name(UInt64(index + 1))] = bytes
        }
    }

    /// Makes the checksums of records right, so that what is behind them is reached.
    private static func sign(_ bytes: inout [UInt8]) {
        var offset = 0
        while let size = Record.size(at: bytes[offset...]), offset + size <= bytes.count {
            let checksum = CRC32C.checksum(bytes[(offset + 8)..<(offset + size)])
            for index in 0..<4 {
                bytes[offset + 4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))
            }
            offset += size
        }
    }

    func names() throws(DiskFailure) -> [String] { Array(files.keys) }
    func size(of name: String) throws(DiskFailure) -> Int { try content(name).count }
    func read(_ name: String, from offset: Int, most count: Int) throws(DiskFailure) -> [UInt8] {
        Array(try content(name).dropFirst(offset).prefix(count))
    }
    func create(_ name: String) throws(DiskFailure) { files[name] = [] }
    func append(_ bytes: [UInt8], to name: String) throws(DiskFailure) { files[name] = try content(name) + bytes }
    func cut(_ name: String, to size: Int) throws(DiskFailure) { files[name] = Array(try content(name).prefix(size)) }
    func remove(_ name: String) throws(DiskFailure) { files[name] = nil }
    func sync(thenRemoving names: [String]) { for name in names { files[name] = nil } }

    private func content(_ name: String) throws(DiskFailure) -> [UInt8] {
        guard let bytes = files[name] else { throw DiskFailure(isFull: false, name) }
        return bytes
    }
}

private func open(_ disk: FoundDisk, epoch: UInt64) -> Spool {
    guard let boot = Identity([UInt8](repeating: 7, count: 16)),
        let spool = try? Spool(
            disk, streams: ["location"], epoch: Identity(utcMicroseconds: 0, random: (epoch, epoch)), bootID: boot,
            limits: SpoolLimits(maximumBytes: 64 << 10, maximumAgeNanoseconds: .max, acknowledgedNanoseconds: .max))
    else { preconditionFailure("a spool does not open") }
    return spool
}

/// Opens a spool whose files are the input: it must work as any other, and find itself whole the next time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSpool(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let disk = FoundDisk(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    let now = Moment(bootNanoseconds: 1, utcMicroseconds: 1)
    var spool = open(disk, epoch: 1)
    for serial in spool.first..<min(spool.end, spool.first + 10_000) {
        if let message = spool.message(at: serial) { precondition(message.serial == serial, "another message") }
    }
    guard let serial = spool.append(.members, to: 0, at: now, payload: { _ in [1, 2, 3] }) else {
        preconditionFailure("an empty disk takes no message")
    }
    precondition(spool.message(at: serial)?.message.payload == [1, 2, 3], "a message is read back otherwise")
    precondition(!spool.isAcknowledged(serial), "a new message counts as arrived")
    spool.reportLosses(now)
    spool.trim(now)
    spool.reportLosses(now)
    spool.close(now)
    let last = spool.nextNumber(of: 0) - 1
    let next = open(disk, epoch: 2)
    precondition(next.recovery.epoch == spool.epoch && next.recovery.last["location"] == last, "it forgets its epoch")
    precondition(next.recovery.damagedBytes == 0 && next.recovery.hasEnd, "it finds itself damaged")
    return 0
}
