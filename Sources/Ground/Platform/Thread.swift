internal import CLinux
internal import Glibc

/// Detached threads, for work that may block.
public enum Thread {
    /// Runs the body on a new thread, with all signals blocked. `pthread_create(3)`
    ///
    /// Nothing joins the thread; the body itself must signal its end if somebody needs to know. The name is cut to 15
    /// bytes, the system's limit.
    public static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
        let code = unsafe create(work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            throw SystemError("pthread_create \(name)", code: code)
        }
    }

    /// Makes the thread's timers exact, instead of up to 50 µs late. `prctl(2)` PR_SET_TIMERSLACK
    public static func bePunctual() { clinux_set_timer_slack(1) }

    // A thread inherits the mask of its creator, so signals are blocked before it runs its first instruction.
    private static func create(_ work: UnsafeMutableRawPointer) -> Int32 {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, { unsafe Thread.run($0) }, work)
        if code == 0 { pthread_detach(thread) }
        return code
    }

    private static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let pointer = unsafe pointer else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        unsafe work.name.withCString { unsafe clinux_name_thread($0) }
        work.body()
        return nil
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
