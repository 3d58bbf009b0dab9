internal import Fleet
internal import Spool

/// A message as payloads that the server takes.
enum Parts {
    /// The payloads, and the numbers of objects that are too large even for a payload of their own.
    static func of(_ spooled: SpooledMessage, most: Int) -> (payloads: [[UInt8]], tooLarge: [ClosedRange<UInt64>]) {
        let payload = Wire.payload(spooled)
        if payload.count <= most { return ([payload], []) }
        guard spooled.message.form == .group, let lines = GroupFrame.lines(of: payload) else {
            return frame(of: payload[...], most).map { ([$0], []) } ?? ([], [spooled.message.numbers])
        }
        let objects = lines.split(separator: UInt8(ascii: "\n"))
        guard objects.count == spooled.message.numbers.count else { return ([], [spooled.message.numbers]) }
        var payloads: [[UInt8]] = []
        var tooLarge = NumberSet()
        split(objects[...], spooled.message.number, most, &payloads, &tooLarge)
        return (payloads, tooLarge.ranges)
    }

    private static func split(
        _ objects: ArraySlice<ArraySlice<UInt8>>, _ first: UInt64, _ most: Int, _ payloads: inout [[UInt8]],
        _ tooLarge: inout NumberSet
    ) {
        guard objects.count > 1 else {
            guard let object = objects.first else { return }
            if object.count <= most {
                payloads.append(Array(object))
            } else if let frame = frame(of: object, most) {
                payloads.append(frame)
            } else {
                tooLarge.insert(first)
            }
            return
        }
        let lines = objects.joined(separator: [UInt8(ascii: "\n")])
        if let frame = frame(of: lines, most) { return payloads.append(frame) }
        let half = objects.count / 2
        split(objects.prefix(half), first, most, &payloads, &tooLarge)
        split(objects.dropFirst(half), first + UInt64(half), most, &payloads, &tooLarge)
    }

    /// Lines as a frame; nil if that is too large as well.
    private static func frame(of lines: some Sequence<UInt8>, _ most: Int) -> [UInt8]? {
        let frame = GroupFrame.compressed(Array(lines) + [UInt8(ascii: "\n")])
        return frame.flatMap { $0.count <= most ? $0 : nil }
    }
}
