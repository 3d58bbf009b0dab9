internal import Readings
internal import Varlink

/// Gaps of one request that have not been sent to a client yet.
struct HandedGaps: Equatable {
    let name: StreamedName
    let gaps: [Gap]

    init(_ name: StreamedName, _ gaps: [Gap]) {
        self.name = name
        self.gaps = gaps
    }

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("resource", "label", "gaps")
        let resource = try parameters.resourceName("resource")
        name = StreamedName(resource: resource, label: try parameters.optionalString("label"))
        gaps = try parameters.gaps("gaps", of: resource)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("resource", name.resource.description)
        writer.member("label", name.label)
        writer.gaps(gaps, of: name.resource)
        writer.endObject()
    }
}
