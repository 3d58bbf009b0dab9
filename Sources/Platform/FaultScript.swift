#if DEBUG
    internal import Glibc

    /// Which call of a thread fails, and how: for tests, and not in what is released.
    ///
    /// The k-th call of a kind does not reach the kernel, and comes back with an errno.
    package struct FaultScript: Sendable {
        /// The kinds of calls of the serving path.
        package enum Call: String, CaseIterable, Sendable {
            case accept, send, receive, control, peer
        }

        /// The kind of call that fails.
        package let call: Call
        /// Which of them, counted from 1.
        package let first: Int
        /// How many from then on.
        package let count: Int
        /// What it fails with.
        package let code: Int32
        private var seen = 0

        /// Lets some calls of a kind fail.
        package init(_ call: Call, from first: Int, count: Int = 1, with code: Int32) {
            self.call = call
            self.first = first
            self.count = count
            self.code = code
        }

        /// By thread: tests run side by side.
        private static let scripts = Locked<[UInt: FaultScript]>([:])

        /// Has it happen to the calls that this thread makes from now on; nil ends it.
        package static func install(_ script: FaultScript?) {
            scripts.withLock { $0[UInt(pthread_self())] = script }
        }

        /// The negated errno with which this call of this thread is to fail; nil: it is made.
        static func failure(of call: Call) -> Int? {
            scripts.withLock { scripts in
                let thread = UInt(pthread_self())
                guard var script = scripts[thread], script.call == call else { return nil }
                script.seen += 1
                scripts[thread] = script
                return script.seen >= script.first && script.seen - script.first < script.count
                    ? -Int(script.code) : nil
            }
        }
    }
#endif
