/// A resource, by the broker's words.
struct ResourceView: Equatable {
    var name: String
    var state: String
    var reason: String?
    var isSimulated = false
}
