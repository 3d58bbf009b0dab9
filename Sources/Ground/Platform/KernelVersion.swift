internal import Glibc

/// The version of a Linux kernel by its first two numbers; what a vendor adds to them means nothing for its calls.
public struct KernelVersion: Comparable, CustomStringConvertible, Sendable {
    private let major: Int
    private let minor: Int

    /// The oldest kernel on which the daemon works.
    ///
    /// Since 5.3 the kernel reports whose an abstract socket is, without which `HostLock` believes anybody. 5.4 is the
    /// first one after it that vendors of boards maintain. Calls that are newer have a substitute
    /// (`clinux_epoll_wait`).
    public static let oldest = Self(major: 5, minor: 4)

    private init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// The version of a release such as `5.10.110-rockchip`; nil if it does not begin with two numbers.
    public init?(release: String) {
        let parts = release.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).prefix(2)
        let numbers = parts.compactMap { Int($0.prefix { ("0"..."9").contains($0) }) }
        guard numbers.count == 2 else { return nil }
        self.init(major: numbers[0], minor: numbers[1])
    }

    /// The kernel of this host; nil if it does not report it. `uname(2)`
    public static func current() -> Self? {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return nil }
        return Self(
            release: unsafe withUnsafeBytes(of: &names.release) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            })
    }

    /// The two numbers.
    public var description: String { "\(major).\(minor)" }

    /// Whether a version is the older one.
    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
