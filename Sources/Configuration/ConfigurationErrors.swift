/// A configuration that cannot be used: everything that is wrong with it.
public struct ConfigurationErrors: Error, Equatable, Sendable {
    /// The first thing that is wrong.
    public let first: ConfigurationProblem
    /// The rest, in the order in which the files are read.
    public let others: [ConfigurationProblem]

    /// All of them.
    public var all: [ConfigurationProblem] { [first] + others }

    /// One problem.
    public init(_ problem: ConfigurationProblem) {
        first = problem
        others = []
    }

    /// The problems, if there are any.
    public init?(_ problems: [ConfigurationProblem]) {
        guard let first = problems.first else { return nil }
        self.first = first
        others = Array(problems.dropFirst())
    }
}
