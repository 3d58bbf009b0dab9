internal import Readings
internal import Varlink

/// A waiting call of `Read`, as one daemon leaves it to the next.
struct HandedRead: Equatable {
    let resource: ResourceName
    /// When the call was made: an older sample is no answer.
    let since: BootTime
    /// When the read is answered in any case.
    let deadline: BootTime
    let withSatellites: Bool
}

extension HandedRead {
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("resource", "since", "deadline", "satellites")
        resource = try parameters.resourceName("resource")
        since = try parameters.instant("since")
        deadline = try parameters.instant("deadline")
        withSatellites = try parameters.optionalBool("satellites") ?? false
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("resource", resource.description)
        writer.member("since", since.nanoseconds)
        writer.member("deadline", deadline.nanoseconds)
        if withSatellites { writer.member("satellites", true) }
        writer.endObject()
    }
}
