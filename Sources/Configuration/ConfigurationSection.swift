/// A part of a configuration file, from its `[Name]` to the next.
public struct ConfigurationSection: Equatable, Sendable {
    /// One assignment.
    public struct Entry: Equatable, Sendable {
        /// What stands before the `=`.
        public var key: String
        /// What stands behind it, without the spaces around it; may be empty.
        public var value: String
        /// The line on which it begins, from 1.
        public var line: Int
    }

    /// The name between the brackets.
    public var name: String
    /// The line of its header, from 1.
    public var line: Int
    /// The assignments, in order.
    public var entries: [Entry] = []
}
