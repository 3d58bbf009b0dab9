internal import Readings
internal import Varlink

/// Gaps of one resource that have not been sent to a client yet.
struct HandedGaps: Equatable {
    let resource: ResourceName
    let gaps: [Gap]

    init(resource: ResourceName, gaps: [Gap]) {
        self.resource = resource
        self.gaps = gaps
    }

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("resource", "gaps")
        resource = try parameters.resourceName("resource")
        gaps = try parameters.gaps("gaps", of: resource)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("resource", resource.description)
        writer.gaps(gaps, of: resource)
        writer.endObject()
    }
}
