/// One `Key=` of a section: what it takes, and what it sets in a draft of what the section describes.
struct ScenarioKey<Draft>: Sendable {
    let name: String
    /// Whether it may stand more than once.
    let isRepeated: Bool
    let take: @Sendable (String, inout Draft, ScenarioFiles) throws(Refusal) -> Void

    init(
        _ name: String, isRepeated: Bool = false,
        take: @escaping @Sendable (String, inout Draft, ScenarioFiles) throws(Refusal) -> Void
    ) {
        self.name = name
        self.isRepeated = isRepeated
        self.take = take
    }
}
