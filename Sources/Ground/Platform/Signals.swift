internal import CLinux
internal import Glibc

/// Signals as something to read, instead of handlers that interrupt.
public struct Signals: ~Copyable, Sendable {
    /// What a signal requests.
    public enum Request: Sendable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP.
        case reload
        /// SIGCHLD.
        case lookAfterChild

        /// Whether it ends a program that has nothing to reload: then SIGHUP is the end of its terminal, unless it was started
        /// so that it survives that, as with `nohup`. `sigaction(2)`
        public var isEnd: Bool {
            switch self {
            case .stop: true
            case .reload: clinux_is_signal_ignored(SIGHUP) == 0
            case .lookAfterChild: false
            }
        }
    }

    private let descriptor: Descriptor

    /// Blocks SIGTERM, SIGINT, SIGHUP and SIGCHLD in this thread and all later ones, and ignores SIGPIPE, which libgps
    /// and libiio may otherwise raise. `signalfd(2)`
    public init() throws(SystemError) {
        signal(SIGPIPE, SIG_IGN)
        let wanted = [SIGTERM, SIGINT, SIGHUP, SIGCHLD]
        let descriptor = Descriptor(owning: unsafe clinux_signal_descriptor(wanted, Int32(wanted.count)))
        guard descriptor.number >= 0 else { throw SystemError.current("signalfd") }
        self.descriptor = descriptor
    }

    /// The descriptor's number, for the event loop.
    public var number: Int32 { descriptor.number }

    /// The next pending request, if there is one.
    public func take() -> Request? {
        switch clinux_take_signal(descriptor.number) {
        case SIGTERM, SIGINT: .stop
        case SIGHUP: .reload
        case SIGCHLD: .lookAfterChild
        default: nil
        }
    }
}
