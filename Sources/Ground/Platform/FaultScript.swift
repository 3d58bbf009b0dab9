#if DEBUG
    internal import Glibc

    /// Makes system calls of a thread fail, for tests; not compiled into releases.
    ///
    /// From the k-th call of a kind, a number of calls return an errno without reaching the kernel. Threads with the same
    /// script count together.
    package struct FaultScript: Sendable {
        /// The kind of call that fails.
        package let call: SystemCall
        /// The first call that fails, counted from 1.
        package let first: Int
        /// How many calls fail.
        package let count: Int
        /// The errno of the failure.
        package let code: Int32
        private let seen = Tally()

        private final class Tally: Sendable { let count = Locked(0) }

        /// Creates a script that fails some calls of a kind.
        package init(_ call: SystemCall, from first: Int, count: Int = 1, with code: Int32) {
            self.call = call
            self.first = first
            self.count = count
            self.code = code
        }

        /// By thread, since tests run concurrently.
        private static let scripts = Locked<[UInt: FaultScript]>([:])

        /// Installs a script for the calling thread; nil removes it.
        package static func install(_ script: FaultScript?) {
            scripts.withLock { $0[UInt(pthread_self())] = script }
        }

        /// The negated errno that this call should return; nil if the call should be made.
        static func failure(of call: SystemCall) -> Int? {
            scripts.withLock { scripts in
                let thread = UInt(pthread_self())
                guard let script = scripts[thread], script.call == call else { return nil }
                let seen = script.seen.count.withLock { count in
                    count += 1
                    return count
                }
                return seen >= script.first && seen - script.first < script.count ? -Int(script.code) : nil
            }
        }
    }
#endif
