/// What an administrator may want to be alerted on, by its `MESSAGE_ID` in the journal.
///
/// The ids stay, whatever becomes of the words. `systemd/sensorbroker.catalog` explains each: `journalctl -x`.
public enum JournalEvent: String, CaseIterable, Sendable {
    /// The daemon serves.
    case serving = "b949311c8ff94056b74965b37bd5862c"
    /// A resource's device is not there, or does not work.
    case resourceUnavailable = "7ba3df2cc3134e11be23f92b252d1885"
    /// A resource that was unavailable can be had again.
    case resourceAvailable = "fcf83aa992bf4f129c4bd0a974e44e9d"
    /// An administrator has given a device up.
    case resourceReleased = "8d5135aadaf74ba990c848cc432388ba"
    /// A device that was given up is the broker's again.
    case resourceReacquired = "1c899705913a4d929293e9c8866a77fe"
    /// A device was to be given up, and its driver does not let go.
    case driverHangs = "ea08da7122a04fe09ce3b2e050d37d7a"
    /// Another configuration is in force.
    case configurationApplied = "f9d5b42002ad4f8bb1c20003cfa0f1db"
    /// A configuration has an error, and the former one stays in force.
    case configurationRefused = "e44a99ea700f4e09a6bc1f00cc695176"
}
