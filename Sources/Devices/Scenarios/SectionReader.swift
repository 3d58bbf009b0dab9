internal import Configuration

/// Parses the sections of a scenario into drafts, and collects errors.
struct SectionReader {
    let file: String
    let files: ScenarioFiles
    var problems: [ConfigurationProblem] = []

    /// Fills a draft from a section; returns whether all of it is valid, so that it makes sense to check it as a whole.
    mutating func read<Draft>(
        _ section: ConfigurationSection, by keys: [ScenarioKey<Draft>], into draft: inout Draft
    ) -> Bool {
        let before = problems.count
        var seen: Set<String> = []
        for entry in section.entries {
            do throws(Refusal) {
                guard let key = keys.first(where: { $0.name == entry.key }) else {
                    throw Refusal(
                        "[\(section.name)] has no '\(ConfigurationProblem.excerpt(entry.key))=': "
                            + Suggestion.remedy(for: entry.key, among: keys.map(\.name)) { "\($0)=" })
                }
                guard key.isRepeated || seen.insert(key.name).inserted else {
                    throw Refusal("\(key.name)= occurs twice: leave one of them out")
                }
                guard !entry.value.isEmpty else { throw Refusal("\(key.name)= needs a value, or leave it out") }
                try key.take(entry.value, &draft, files)
            } catch {
                complain(entry.line, error, "\(entry.key)=")
            }
        }
        return problems.count == before
    }

    /// Adds an error at a line.
    mutating func complain(_ line: Int, _ refusal: Refusal, _ what: String? = nil) {
        let isElsewhere = refusal.origin != nil
        let words = isElsewhere || what == nil ? refusal.words : "\(what ?? "") \(refusal.words)"
        problems.append(
            ConfigurationProblem(
                file: refusal.origin?.file ?? file, line: isElsewhere ? refusal.origin?.line : line, words))
    }
}
