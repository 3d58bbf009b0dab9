internal import Delivery
internal import Readings
internal import Varlink

extension JSONWriter {
    /// A request as the interface has it.
    mutating func request(_ request: Request) {
        beginObject()
        member("resource", request.resource.description)
        member("label", request.label)
        member("intervalNanoseconds", request.intervalNanoseconds)
        member("batchNanoseconds", request.batchNanoseconds)
        member("filter", request.filter?.rawValue)
        member("minimumChange", request.minimumChange)
        if request.wantsSatellites { member("satellites", true) }
        if request.wantsPacked { member("packed", true) }
        member("alignTo", request.alignTo)
        endObject()
    }
}
