internal import Varlink

extension SensorOffer {
    /// The parameters of the call that provides these resources.
    func parameters(of resources: ProvidedResources) -> JSONObject {
        let offers = zip(resources.names, resources.kinds).map { name, kind in
            JSONValue.object(["name": .string("\(name)"), "kind": .string("\(kind)")])
        }
        var object: JSONObject = ["resources": .array(offers)]
        object.member("description", device)
        switch intervals {
        case .own(let interval):
            object.member("intervalNanoseconds", interval?.clampedNanoseconds)
        case .oneOf(let intervals):
            let nanoseconds = Set(intervals.map(\.clampedNanoseconds)).sorted()
            object.member("intervalsNanoseconds", .array(nanoseconds.map { .integer($0) }))
        case .range(let range):
            object.member("shortestNanoseconds", range.lowerBound.clampedNanoseconds)
            object.member("longestNanoseconds", range.upperBound.clampedNanoseconds)
        }
        object.member("restNanoseconds", rest?.clampedNanoseconds)
        if isSimulated { object.member("simulated", true) }
        return object
    }
}
