internal import CLinux

/// Waiting for descriptors outside the event loop, on a thread that may block.
public enum Wait {
    /// Which of the descriptors ended the wait; neither where time ran out or a signal came.
    public struct Ready: Equatable, Sendable {
        /// The first has something to read, or failed.
        public var first: Bool
        /// The second has something to read, or failed.
        public var second: Bool
    }

    /// Waits until a descriptor is readable or has failed, at most so long; nil waits for ever. `ppoll(2)`
    ///
    /// The timeout does not run while the host sleeps.
    public static func untilReadable(_ first: Int32, _ second: Int32? = nil, nanoseconds: Int64?) -> Ready {
        let result = clinux_poll_two(first, second ?? -1, nanoseconds.map { max(0, $0) } ?? -1)
        guard result > 0 else { return Ready(first: false, second: false) }
        return Ready(first: result & 1 != 0, second: result & 2 != 0)
    }

    /// Whether a descriptor has failed or its other end has gone. `poll(2)`
    static func hasFailed(_ number: Int32) -> Bool { clinux_has_failed(number) != 0 }
}
