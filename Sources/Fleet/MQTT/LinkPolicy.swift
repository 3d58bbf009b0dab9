internal import Platform

/// What differs between a program that nobody watches, and one for which somebody waits.
public struct LinkPolicy: Sendable {
    /// How long a connection, and an answer to it, may take.
    let patienceNanoseconds: Int64
    /// The longest wait before another attempt.
    let longestWaitNanoseconds: Int64
    /// Whether somebody waits: another version of MQTT is tried at once, without a word.
    let isAttended: Bool
    /// Whether the connection is of use only if all subscriptions are allowed.
    let needsSubscriptions: Bool
    /// Whether the connection is of use only if the server acknowledges messages.
    let needsAnswers: Bool

    /// A publisher's: as patient as a fleet has to be.
    public static let publisher = Self(
        patienceNanoseconds: 30 * Nanoseconds.second, longestWaitNanoseconds: .max, isAttended: false,
        needsSubscriptions: false, needsAnswers: true)
    /// A consumer's.
    public static let consumer = Self(
        patienceNanoseconds: 20 * Nanoseconds.second, longestWaitNanoseconds: 5 * Nanoseconds.second,
        isAttended: true, needsSubscriptions: true, needsAnswers: false)
}
