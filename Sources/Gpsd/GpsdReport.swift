/// What one line of gpsd says, as far as it matters here.
enum GpsdReport: Equatable, Sendable {
    /// A TPV, and the path of its receiver; the path is empty where gpsd names none.
    case fix(FixReport, path: String)
    /// A SKY, and the path of its receiver.
    case sky(SkyReport, path: String)
    /// gpsd greets with its release.
    case version(String)
    /// The receivers that gpsd knows.
    case receivers([Receiver])
    /// gpsd does not have the receiver that it was asked for.
    case noSuchReceiver
    /// A receiver came, or was found to be of a kind.
    case receiver(Receiver)
    /// A receiver went away.
    case receiverGone(path: String)
}
