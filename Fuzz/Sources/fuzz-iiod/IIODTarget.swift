import Fuzzing

@testable import IIO

/// The way of an iiod's bytes: a description of its devices, then replies with samples of the first of them.
///
/// Whatever comes in, no reply has more than there is room for, and no sample is read beyond its reply. The first bytes of the
/// input say which channels are wanted, how much room there is, and in which pieces the rest arrives; the description ends
/// with a zero.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIIOD(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = unsafe Input(start, count)
    let wanted = (0..<3).map { _ in Int(input.byte() % 40) }
    let samples = Int(input.byte())
    let piece = Int(input.byte()) + 1
    let description = try? RemoteDescription(input.bytes(upTo: 0))
    for device in description?.devices ?? [] {
        precondition(device.id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "an id that ends a command")
    }
    guard let device = description?.devices.first else {
        read(&input, .text(limit: samples), piece) { _ in }
        return 0
    }
    let mask = RemoteScan.mask(of: wanted, words: device.maskWords)
    guard let scan = RemoteScan(device, mask: mask, wanted: wanted) else { return 0 }
    let shape = ReplyReader.Shape.samples(limit: scan.step * samples, maskWords: device.maskWords)
    read(&input, shape, piece) { reader in
        guard !reader.payload.isEmpty else { return }
        let mask = RemoteScan.mask(of: reader.mask)
        guard let scan = RemoteScan(device, mask: mask, wanted: wanted) else { return }
        let count = reader.payload.count / scan.step
        for column in wanted.indices { _ = scan.numbers(column, in: reader.payload, count: count) }
        var scans = RawScans(groups: 1)
        scan.read(reader.payload, count: count, groups: [wanted.count], into: &scans)
        precondition(scans.count == count, "a scan that was not sent")
    }
    return 0
}

/// Replies one behind the other, until one is none.
private func read(_ input: inout Input, _ shape: ReplyReader.Shape, _ piece: Int, _ use: (ReplyReader) -> Void) {
    var reader = ReplyReader()
    reader.begin(shape)
    while !input.isEmpty {
        guard let isWhole = try? reader.take(input.bytes(piece)[...]) else { return }
        switch shape {
        case .code: precondition(reader.payload.isEmpty, "a payload that was not asked for")
        case .text(let limit): precondition(reader.payload.count <= limit + 1, "a text without room")
        case .samples(let limit, let words):
            precondition(reader.payload.count <= limit, "samples without room")
            precondition(reader.mask.count <= words * 8 + 1, "a mask without room")
        }
        guard isWhole else { continue }
        precondition(reader.code >= -ReplyReader.mostErrno, "no errno")
        use(reader)
        reader.begin(shape)
    }
}
