/// The resources of a provider: a name and a kind for each value, in their order.
package struct ProvidedResources: Sendable {
    /// The names.
    package private(set) var names: [ResourceName]
    /// What each measures.
    package let kinds: [Kind]
    /// Why they cannot be provided; nil if they can.
    package private(set) var fault: SensorError?

    /// Those of some types of values; types without a name have the first one of their kind.
    package init(_ types: [any Providable.Type], named texts: [String]) {
        names = types.map { $0.firstResource }
        kinds = types.map { $0.kind }
        for (index, text) in texts.enumerated() {
            guard let name = ResourceName(text) else {
                fault = .invalidRequest(
                    "'\(text)' is not a resource's name: that is a kind's, such as \(names.first ?? .accelerometer), or one with a suffix "
                        + "after a colon")
                return
            }
            if index < names.count { names[index] = name }
        }
        if names.isEmpty {
            fault = .invalidRequest("nothing is provided: name a type of values, such as Acceleration.self")
        } else if texts.count > names.count {
            fault = .invalidRequest(
                "there are more names than values to provide: each value has one, in the same order")
        } else if Set(names).count < names.count {
            fault = .invalidRequest("two values cannot have one name: give each a name of its own")
        } else if Set(kinds).count < kinds.count {
            fault = .invalidRequest("a device has one value of each kind: provide the second one by itself")
        }
    }
}
