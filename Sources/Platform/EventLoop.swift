internal import CLinux
internal import Glibc

/// Waits for descriptors and deadlines: epoll, level-triggered. `epoll(7)`
///
/// Deadlines are the wait's own timeout, not a timer descriptor: an idle loop owns no timer and never wakes.
public struct EventLoop: ~Copyable {
    /// What a descriptor is waited for.
    public struct Interest: OptionSet, Sendable {
        /// The raw bits.
        public let rawValue: UInt32
        /// A set from raw bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Something to read.
        public static let read = Interest(rawValue: clinux_epollin)
        /// Room to write.
        public static let write = Interest(rawValue: clinux_epollout)
        /// Something out of the ordinary, as of a file that tells of memory pressure.
        public static let exception = Interest(rawValue: clinux_epollpri)
    }

    private let epoll: Descriptor
    private var ready: [clinux_ready]

    /// A loop that waits for nothing yet. `epoll_create1(2)`
    public init() throws(SystemError) {
        let epoll = Descriptor(owning: clinux_epoll_create())
        guard epoll.number >= 0 else { throw SystemError.current("epoll_create1") }
        self.epoll = epoll
        ready = [clinux_ready](repeating: clinux_ready(), count: 1_024)
    }

    /// Begins to wait for a descriptor. `epoll_ctl(2)`
    public func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, descriptor, interest, token)
    }

    /// Changes what a descriptor is waited for. `epoll_ctl(2)`
    public func change(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, descriptor, interest, token)
    }

    /// No longer waits for a descriptor. `epoll_ctl(2)`
    public func remove(_ descriptor: Int32) {
        _ = clinux_epoll_control(epoll.number, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits until something is ready or so many nanoseconds have passed (nil: for ever). `epoll_pwait2(2)`
    ///
    /// Appends what is ready to a list that the caller keeps, so that a turn allocates nothing. Where `VirtualTime` leaves out
    /// pauses, it is this one who does so, unless it is asked to wait for something that no descriptor tells.
    public mutating func wait(
        nanoseconds: Int64?, into list: inout [ReadyDescriptor], isHeldUp: () -> Bool = { false }
    ) throws(SystemError) {
        list.removeAll(keepingCapacity: true)
        let count =
            VirtualTime.isOn ? skipPauses(nanoseconds, isHeldUp) : poll(nanoseconds.map { max(0, $0) } ?? -1)
        guard count >= 0 else {
            guard clinux_errno() == EINTR else { throw SystemError.current("epoll_pwait2") }
            return
        }
        for event in ready.prefix(Int(count)) {
            let gone = event.events & (clinux_epollhup | clinux_epollerr) != 0
            list.append(
                ReadyDescriptor(
                    token: event.token, isReadable: event.events & (clinux_epollin | clinux_epollpri) != 0,
                    isWritable: event.events & clinux_epollout != 0, isHungUp: gone))
        }
    }

    private mutating func poll(_ nanoseconds: Int64) -> Int32 {
        unsafe clinux_epoll_wait(epoll.number, &ready, Int32(ready.count), nanoseconds)
    }

    private mutating func skipPauses(_ nanoseconds: Int64?, _ isHeldUp: () -> Bool) -> Int32 {
        let (sum, overflow) = Clock.bootNanoseconds().addingReportingOverflow(max(0, nanoseconds ?? .max))
        let deadline = overflow ? Int64.max : sum
        var patience: Int64 = 50_000
        while true {
            // Asked first: who waits now has said all that it had to say.
            let pause = VirtualTime.pause(loopDeadline: deadline)
            let count = poll(0)
            let left = deadline - Clock.bootNanoseconds()
            guard count == 0, left > 0 else { return count }
            switch pause {
            case .resting where !isHeldUp(): return poll(deadline == .max ? -1 : left)
            case .until(let instant, let hostNanoseconds) where !isHeldUp():
                let count = hostNanoseconds > 0 ? poll(hostNanoseconds) : 0
                guard count == 0 else { return count }
                VirtualTime.skip(to: instant)
            case .working, .resting, .until:
                let count = poll(min(patience, left))
                guard count == 0 else { return count }
                patience = min(patience * 2, 500_000)
            }
        }
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: Interest, _ token: UInt64
    ) throws(SystemError) {
        let result = Syscalls.control(epoll.number, operation, descriptor, interest.rawValue, token)
        guard result == 0 else { throw SystemError("epoll_ctl", code: Int32(clamping: -result)) }
    }
}

/// What became ready, and for whom.
public struct ReadyDescriptor: Equatable, Sendable {
    /// The token under which the descriptor was added.
    public let token: UInt64
    /// There is something to read, or the peer writes no more.
    public let isReadable: Bool
    /// There is room to write.
    public let isWritable: Bool
    /// The peer is gone altogether: both directions are closed, or the descriptor failed.
    public let isHungUp: Bool
}
