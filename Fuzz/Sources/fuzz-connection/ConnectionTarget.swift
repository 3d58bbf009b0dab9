internal import Fuzzing
@testable internal import MQTT

/// A process of a connection says anything, in pieces of any size.
///
/// Its program takes it or finds it broken, and takes nothing in two forms; the same for what the process is told.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConnection(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = unsafe Input(start, count)
    let most = 1 << 12
    let isReport = input.byte() & 1 == 0
    var stream = FrameSource(most: most)
    do throws(BrokenFrame) {
        while !input.isEmpty {
            stream.add(input.bytes(Int(input.byte()) + 1)[...])
            while let frame = try stream.next() {
                precondition(frame.count <= most, "a frame is longer than may be")
                let message: any FrameMessage = isReport ? try ServerEvent(frame) : try ConnectionOrder(frame)
                // A server's address is written as people write it.
                guard isReport || frame.first != 0 else { continue }
                var form: [UInt8] = []
                message.append(to: &form)
                precondition(form.dropFirst(FrameWriter.headerBytes).elementsEqual(frame), "a frame has two forms")
            }
        }
    } catch {}
    return 0
}
