internal import Varlink

/// What the broker made of a request.
struct Grant: Equatable {
    /// As it came.
    let object: JSONObject
    let resource: String
    let intervalNanoseconds: Int64
    let batchNanoseconds: Int64
    let deviceIntervalNanoseconds: Int64?

    init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        intervalNanoseconds = try parameters.integer("intervalNanoseconds")
        batchNanoseconds = try parameters.integer("batchNanoseconds")
        deviceIntervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
    }

    static func all(_ parameters: [Parameters]) throws(VarlinkError) -> [Self] {
        try parameters.map { element throws(VarlinkError) in try Self(element) }
    }

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
