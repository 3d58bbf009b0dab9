internal import BrokerClient

extension Grant {
    /// What was granted, for people.
    var text: String {
        let interval =
            intervalNanoseconds == 0
            ? "every sample" : "a reading every \(IntervalText.text(nanoseconds: intervalNanoseconds))"
        let batch =
            batchNanoseconds == 0 ? "" : ", gathered for \(IntervalText.text(nanoseconds: batchNanoseconds))"
        let device =
            deviceIntervalNanoseconds.map { ", the device makes one every \(IntervalText.text(nanoseconds: $0))" } ?? ""
        return interval + batch + device
    }
}
