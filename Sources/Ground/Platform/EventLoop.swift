internal import CLinux
internal import Glibc

/// Waits for descriptors and deadlines: epoll, level-triggered. `epoll(7)`
///
/// A deadline is the wait's own timeout. Where another thread may change it during the wait, it is a `WakeTimer` among the
/// descriptors. Without a deadline nothing wakes an idle loop.
public struct EventLoop: ~Copyable, Sendable {
    /// The events to wait for on a descriptor.
    public struct Interest: OptionSet, Sendable {
        /// The raw bits.
        public let rawValue: UInt32
        /// A set from raw bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// Something to read.
        public static let read = Interest(rawValue: clinux_epollin)
        /// Room to write.
        public static let write = Interest(rawValue: clinux_epollout)
        /// An exceptional condition, such as memory pressure.
        public static let exception = Interest(rawValue: clinux_epollpri)
    }

    private let epoll: Descriptor

    /// Creates a loop without descriptors. `epoll_create1(2)`
    public init() throws(SystemError) {
        let epoll = Descriptor(owning: clinux_epoll_create())
        guard epoll.number >= 0 else { throw SystemError.current("epoll_create1") }
        self.epoll = epoll
    }

    /// Adds a descriptor. `epoll_ctl(2)`
    public func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, descriptor, interest, token)
    }

    /// Changes the events to wait for on a descriptor. `epoll_ctl(2)`
    public func change(_ descriptor: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, descriptor, interest, token)
    }

    /// Removes a descriptor. `epoll_ctl(2)`
    public func remove(_ descriptor: Int32) {
        _ = clinux_epoll_control(epoll.number, EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Waits until a descriptor is ready or the time has passed; nil waits for ever. `epoll_wait(2)`
    ///
    /// Lists the ready descriptors in storage of the caller, so that a turn allocates nothing. Other threads may add and
    /// remove descriptors meanwhile. If `VirtualTime` is on, this call also drives it, unless it waits for something that
    /// no descriptor signals.
    public func wait(
        nanoseconds: Int64?, into list: inout ReadyList, isHeldUp: () -> Bool = { false }
    ) throws(SystemError) {
        let count =
            VirtualTime.isOn
            ? skipPauses(nanoseconds, &list, isHeldUp) : poll(nanoseconds.map { max(0, $0) } ?? -1, &list)
        list.count = max(0, Int(count))
        assert(list.count <= list.events.count, "The kernel lists no more than there is room for.")
        guard count >= 0 || clinux_errno() == EINTR else { throw SystemError.current("epoll_wait") }
    }

    private func poll(_ nanoseconds: Int64, _ list: inout ReadyList) -> Int32 {
        unsafe clinux_epoll_wait(epoll.number, &list.events, Int32(list.events.count), nanoseconds)
    }

    private func skipPauses(_ nanoseconds: Int64?, _ list: inout ReadyList, _ isHeldUp: () -> Bool) -> Int32 {
        let (sum, overflow) = Clock.bootNanoseconds().addingReportingOverflow(max(0, nanoseconds ?? .max))
        let deadline = overflow ? Int64.max : sum
        var patience: Int64 = 50_000
        while true {
            // Checked first: a thread that waits now has finished its work.
            let pause = VirtualTime.pause(loopDeadline: deadline)
            let count = poll(0, &list)
            let left = deadline - Clock.bootNanoseconds()
            guard count == 0, left > 0 else { return count }
            switch pause {
            case .resting where !isHeldUp(): return poll(deadline == .max ? -1 : left, &list)
            case .until(let instant, let hostNanoseconds) where !isHeldUp():
                let count = hostNanoseconds > 0 ? poll(hostNanoseconds, &list) : 0
                guard count == 0 else { return count }
                VirtualTime.skip(to: instant)
            case .working, .resting, .until:
                let count = poll(min(patience, left), &list)
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

/// The descriptors that were ready when a wait ended, in storage that is reused.
public struct ReadyList: RandomAccessCollection {
    fileprivate var events = [clinux_ready](repeating: clinux_ready(), count: 1_024)
    /// How many were ready.
    public fileprivate(set) var count = 0

    /// An empty list.
    public init() {}

    /// The first index.
    public var startIndex: Int { 0 }
    /// The index after the last one.
    public var endIndex: Int { count }

    /// The descriptor at an index.
    public subscript(index: Int) -> ReadyDescriptor {
        precondition(index < count)
        let event = events[index]
        return ReadyDescriptor(
            token: event.token, isReadable: event.events & (clinux_epollin | clinux_epollpri) != 0,
            isWritable: event.events & clinux_epollout != 0,
            isHungUp: event.events & (clinux_epollhup | clinux_epollerr) != 0)
    }

    /// Forgets them all.
    public mutating func removeAll() { count = 0 }
}

/// A ready descriptor.
public struct ReadyDescriptor: Equatable, Sendable {
    /// The token it was added with.
    public let token: UInt64
    /// There is something to read, or the peer has ended its stream.
    public let isReadable: Bool
    /// There is room to write.
    public let isWritable: Bool
    /// The peer has closed both directions, or the descriptor failed.
    public let isHungUp: Bool
}
