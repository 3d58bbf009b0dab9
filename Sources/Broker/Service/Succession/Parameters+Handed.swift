internal import Readings
internal import Varlink

/// Values that occur more than once in a handover.
extension Parameters {
    func resourceName(_ name: String) throws(VarlinkError) -> ResourceName {
        guard let resource = ResourceName(try string(name)) else { throw .invalidParameter(name) }
        return resource
    }

    func instant(_ name: String) throws(VarlinkError) -> BootTime {
        guard let instant = try optionalInstant(name) else { throw .invalidParameter(name) }
        return instant
    }

    func optionalInstant(_ name: String) throws(VarlinkError) -> BootTime? {
        try optionalInteger(name, in: 0...(1 << 62)).map { BootTime(nanoseconds: $0) }
    }

    /// How many of something there were; 0 if the member is missing.
    func count(_ name: String) throws(VarlinkError) -> Int { Int(try optionalInteger(name, in: 0...(1 << 53)) ?? 0) }

    /// The gaps of one resource, one for each cause; none if the member is missing.
    func gaps(_ name: String, of resource: ResourceName) throws(VarlinkError) -> [Gap] {
        var gaps: [Gap] = []
        for object in try optionalObjects(name) ?? [] {
            try object.allowOnly("resource", "cause", "count", "fromNanoseconds", "untilNanoseconds")
            guard try object.resourceName("resource") == resource else { throw .invalidParameter("resource") }
            let cause = try object.enumeration("cause", Gap.Cause.self)
            guard !gaps.contains(where: { $0.cause == cause }) else { throw .invalidParameter("cause") }
            let count = try object.optionalInteger("count", in: 0...(1 << 53)).map { Int($0) }
            let (from, until) = (try object.instant("fromNanoseconds"), try object.instant("untilNanoseconds"))
            gaps.append(Gap(cause: cause, count: count, from: from, until: until))
        }
        return gaps
    }

    /// Bytes as hexadecimal digits; none if the member is missing.
    func bytes(_ name: String, atMost limit: Int) throws(VarlinkError) -> [UInt8] {
        guard let text = try optionalString(name) else { return [] }
        guard text.utf8.count <= 2 * limit, let bytes = Hexadecimal.bytes(text) else { throw .invalidParameter(name) }
        return bytes
    }
}
