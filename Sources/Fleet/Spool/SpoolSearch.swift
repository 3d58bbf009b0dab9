/// Where numbers are that a consumer asks for again.
extension Spool {
    /// Whether anything is there of an epoch of a stream.
    func holds(_ stream: String, of epoch: Identity) -> Bool {
        files.all.contains { $0.head.epoch == epoch && $0.numbers(of: stream) != nil }
    }

    /// Looks for numbers of a stream, at most so many messages.
    ///
    /// A search reads one segment at most, so whoever asks for many numbers has to ask again for the rest.
    func find(_ wanted: ClosedRange<UInt64>, of stream: String, epoch: Identity, most: Int) -> FoundNumbers {
        var found = FoundNumbers()
        let next = files.all.first { segment in
            guard segment.head.epoch == epoch, let held = segment.numbers(of: stream) else { return false }
            return held.upperBound >= wanted.lowerBound
        }
        guard let segment = next, let held = segment.numbers(of: stream), held.overlaps(wanted) else {
            found.gone = [wanted]
            return found
        }
        var there = NumberSet()
        let messages = files.messages(of: segment).lazy.filter {
            $0.stream == stream && $0.message.numbers.overlaps(wanted)
        }
        for message in messages.prefix(max(1, most)) {
            found.serials.append(message.serial)
            there.insert(message.message.numbers)
        }
        // What there was no room for is not gone: it is found the next time.
        let isCut = found.serials.count >= most
        let reached = min(wanted.upperBound, isCut ? there.ranges.last?.upperBound ?? held.upperBound : held.upperBound)
        found.gone = there.missing(in: wanted.lowerBound...max(wanted.lowerBound, reached))
        if reached < wanted.upperBound { found.rest = reached + 1...wanted.upperBound }
        return found
    }
}
