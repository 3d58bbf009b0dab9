/// How much is given up by hand.
public enum ReleaseScope: Equatable, Sendable {
    /// The subscription of one request.
    case one(SensorRequest)
    /// All subscriptions to a resource.
    case resource(ResourceName)
    /// All of them.
    case all

    func covers(_ request: SensorRequest) -> Bool {
        switch self {
        case .one(let one): one == request
        case .resource(let resource): request.resource == resource
        case .all: true
        }
    }
}
