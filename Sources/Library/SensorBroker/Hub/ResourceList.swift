/// What the broker has reported of its resources: which there are, in which states, and which there are not.
struct ResourceList {
    private var known: [ResourceName: Resource] = [:]
    /// Those that a request was refused for.
    private var refused: Set<ResourceName> = []
    /// Whether the broker has listed all of them.
    private var isComplete = false

    /// Those that the broker has.
    var all: some Collection<Resource> { known.values }

    subscript(name: ResourceName) -> Resource? { known[name] }

    /// The kind of a resource, as the broker reports it or else by its name.
    func kind(of name: ResourceName) -> Kind? { known[name]?.kind ?? Kind(resource: name.word) }

    /// Whether the broker has reported that it does not have a resource.
    func isAbsent(_ name: ResourceName) -> Bool { known[name] == nil && (isComplete || refused.contains(name)) }

    /// Takes in a resource; false if nothing of it is new.
    mutating func learn(_ resource: Resource) -> Bool {
        refused.remove(resource.name)
        return known.updateValue(resource, forKey: resource.name) != resource
    }

    /// Takes in that a list was complete; returns the resources that are gone.
    mutating func learn(onlyThese names: Set<ResourceName>) -> [Resource] {
        isComplete = true
        return known.keys.filter { !names.contains($0) }.compactMap { known.removeValue(forKey: $0) }
    }

    /// Takes in that the broker does not have a resource; returns what it was, if the broker had it before.
    mutating func learnAbsence(of name: ResourceName) -> Resource? {
        refused.insert(name)
        return known.removeValue(forKey: name)
    }

    /// Forgets what the broker does not have, since another one may have it; what it had is remembered.
    mutating func forgetAbsences() {
        refused = []
        isComplete = false
    }
}
