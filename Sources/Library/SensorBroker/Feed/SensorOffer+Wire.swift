internal import Varlink

extension SensorOffer {
    /// The parameters of the call that provides these resources.
    func parameters(of resources: ProvidedResources) -> JSONObject {
        let offers = zip(resources.names, resources.kinds).map { name, kind in
            JSONValue.object(["name": .string("\(name)"), "kind": .string("\(kind)")])
        }
        var object: JSONObject = ["resources": .array(offers)]
        if let device { _ = object.append("description", .string(device)) }
        switch intervals {
        case .own(let interval):
            if let interval { _ = object.append("intervalNanoseconds", .integer(interval.clampedNanoseconds)) }
        case .oneOf(let intervals):
            let nanoseconds = Set(intervals.map(\.clampedNanoseconds)).sorted()
            _ = object.append("intervalsNanoseconds", .array(nanoseconds.map { .integer($0) }))
        case .range(let range):
            _ = object.append("shortestNanoseconds", .integer(range.lowerBound.clampedNanoseconds))
            _ = object.append("longestNanoseconds", .integer(range.upperBound.clampedNanoseconds))
        }
        if let rest { _ = object.append("restNanoseconds", .integer(rest.clampedNanoseconds)) }
        if isSimulated { _ = object.append("simulated", .bool(true)) }
        return object
    }
}
