internal import Delivery
internal import Readings

/// A resource that a derivation reads, or would read if it were there, and what is known of it.
struct DerivationInput {
    let kind: Kind
    /// Whether nothing follows without it.
    let isRequired: Bool
    private(set) var resource: ResourceIndex?
    /// Its name, as text for people, with the reason for which it is this one.
    private(set) var origin: String
    /// Why there is nothing to read; nil: there is.
    private(set) var absence: String?
    /// The grant from it; nil while the derivation does not read it.
    var grant: Grant?
    /// Its state as the derivation sees it.
    var state = ResourceState.idle
    var errors = SensorErrors()
    /// How warm it was when that became known, in degrees Celsius; nil: nobody measured it.
    var celsius: Double?
    /// What its device reports of itself; nil until it has.
    private(set) var profile: DeviceProfile?

    /// An input that reads nothing yet.
    init(_ kind: Kind, isRequired: Bool = true) {
        (self.kind, self.isRequired, origin) = (kind, isRequired, "")
        move(to: nil)
    }

    /// From now on it is this resource, or none; for a reason, if one is given.
    mutating func move(to source: OwnedResource?, because reason: String? = nil) {
        (resource, profile) = (source?.index, source?.core.profile)
        guard let source else {
            (origin, absence) = ("no \(kind.row.resource)", reason ?? "there is no \(kind.row.resource)")
            (state, errors) = (.idle, SensorErrors())
            return
        }
        (origin, absence) = (source.name.description + (reason.map { " (\($0))" } ?? ""), nil)
    }

    /// Its device may have reported other properties; returns whether it has.
    mutating func learn(from source: OwnedResource) -> Bool {
        guard source.core.profile != profile else { return false }
        profile = source.core.profile
        return true
    }

    var axes: DeviceProfile.Axes { profile?.axes ?? .device }
}
