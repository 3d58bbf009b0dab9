public import Platform
public import Readings
internal import Printable

/// Why a device cannot be used; clients see it as the `reason` of an unavailable resource.
public struct DeviceFault: Error, Equatable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: String, CaseIterable, Sendable {
        /// Not there: no such device, or nobody listens.
        case missing
        /// There, but this process may not use it.
        case denied
        /// There, but another program has it.
        case busy
        /// Was there and went away.
        case lost
        /// There, but does not work as it should.
        case failed
    }

    /// What kind of trouble it is.
    public let kind: Kind
    /// What happened and, if somebody can do something about it, what to do: one sentence for people.
    public let description: String
    /// The system call that failed, if one did.
    public let cause: SystemError?
    /// The device, which is there and works but for what it was opened for; nil: it cannot be used at all.
    public var remainder: DeviceProfile? {
        get { if case .of(let profile)? = rest { profile } else { nil } }
        set { rest = newValue.map(Rest.of) }
    }

    private var rest: Rest?

    /// Elsewhere, since few faults have one, and whoever keeps a fault is copied in each turn.
    private indirect enum Rest: Equatable, Sendable { case of(DeviceProfile) }

    /// A fault of this kind, with its description.
    public init(_ kind: Kind, _ description: String, cause: SystemError? = nil) {
        self.kind = kind
        self.description = description
        self.cause = cause
    }
}

/// Text from a sensor or a program, which may contain anything, made safe for a terminal, and short.
public func printable(_ text: String) -> String { text.printable(atMost: 64) }
