/// A field of the journal that only this project has.
public enum JournalField: String, CaseIterable, Sendable {
    /// The name of the resource that an event is about.
    case resource = "SENSORBROKER_RESOURCE"
    /// Why it is as it is, in words.
    case reason = "SENSORBROKER_REASON"
    /// The configuration file that an event is about.
    case file = "SENSORBROKER_FILE"
    /// The line in it, from 1.
    case line = "SENSORBROKER_LINE"
}
