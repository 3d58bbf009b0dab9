internal import Readings

/// What a stream's messages call one of its requests: its resource, and its label if it has one.
struct StreamedName: Hashable {
    let resource: ResourceName
    let label: String?

    /// What the request is called within its stream, as `Request.name`.
    var name: String { label ?? resource.description }
}
