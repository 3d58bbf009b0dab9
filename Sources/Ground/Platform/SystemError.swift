internal import CLinux

/// A system call that failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The call and what it was for: `bind /run/sensorbroker/…`.
    public let call: String
    /// The error's errno.
    public let code: Int32

    /// A failure of a call with an errno.
    public init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// A failure of a call with the thread's current errno.
    public static func current(_ call: String) -> Self { Self(call, code: clinux_errno()) }

    /// The call and the errno in words.
    public var description: String { "\(call): \(Self.words(for: code))" }

    /// What an errno means, in words. `strerror_r(3)`
    public static func words(for code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        guard unsafe clinux_error_text(code, &text, text.count) == 0 else { return "error \(code)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
