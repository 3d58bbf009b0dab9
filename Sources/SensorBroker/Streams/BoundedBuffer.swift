/// A queue of at most so many elements, which drops old ones for new ones and says so in itself.
package protocol BoundedBuffer: Sendable {
    associatedtype Element: Sendable
    mutating func append(_ element: Element)
    mutating func popFirst() -> Element?
}
