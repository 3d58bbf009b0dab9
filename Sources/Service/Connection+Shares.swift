internal import Admission
internal import Delivery
internal import Platform
internal import Varlink

/// What a connection takes of its user's share of bytes.
extension Connection {
    /// Sets how much the kernel may hold for this client, as the kernel counts; of what is beyond everybody's part only as
    /// much as its user may have.
    ///
    /// One whose user has no more to take falls behind sooner, and is told its gaps.
    func setSendBuffer(bytes: Int) {
        let free = Limits.leastQueuedBytes
        queueCharge = nil
        var granted = min(bytes, Limits.queuedBytes)
        while granted > free {
            queueCharge = charge(granted - free, of: server.quotas.queues)
            if queueCharge != nil { break }
            granted = max(granted / 2, free)
        }
        // The kernel doubles what it is told.
        socket.setSendBuffer(bytes: granted / 2)
    }

    /// Room for the last words of a stream, which end with the connection.
    func makeRoomForLastWords() { socket.setSendBuffer(bytes: 1 << 20) }

    /// Charges its user with the bytes of an unfinished call; false: it may not have that many.
    func chargeCall() -> Bool {
        let bytes = framer.bufferedBytes - Limits.leastCallBytes
        guard bytes > callCharge?.amount ?? 0 else { return true }
        callCharge = nil
        // In steps, not byte by byte.
        let steps = (bytes + Limits.leastCallBytes - 1) / Limits.leastCallBytes
        callCharge = charge(steps * Limits.leastCallBytes, of: server.quotas.bytes)
        return callCharge != nil
    }

    /// Charges its user with what is unsent; false: it may not have that much.
    ///
    /// Administrators, who are few, get their answers whatever clients have used.
    func chargeUnsent() -> Bool {
        guard handler.door == .clients else { return true }
        let bytes = unsent.count - Limits.leastUnsentBytes - reservedUnsentBytes
        guard bytes > unsentCharge?.amount ?? 0 else { return true }
        unsentCharge = nil
        unsentCharge = charge(bytes, of: server.quotas.bytes)
        return unsentCharge != nil
    }

    /// The next call that has come as a whole, and its size.
    func nextCall() throws(MalformedInput) -> (call: Call, bytes: Int)? {
        let message: [UInt8]?
        do { message = try framer.next() } catch { throw .framing(error) }
        guard let message else { return nil }
        do {
            return (try Call(parsing: message, limits: Limits.callStructure), message.count)
        } catch {
            throw .call(error)
        }
    }

    /// Charges its user with bytes; nil if that is beyond its share.
    func charge(_ bytes: Int, of quota: Quota) -> Charge? {
        quota.charge(bytes, to: peer.userID, isTrusted: peer.isAdministrator)
    }
}
