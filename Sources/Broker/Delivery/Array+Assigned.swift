/// Changed copies, for arrays of a class that each message or each turn of the loop reads.
///
/// As long as a private property of a class is only ever assigned, reading it costs a load. Once some code changes it in place,
/// each read of it is checked for exclusive access at run time, which costs 95 instructions. So what is read for each message
/// and changes with a device or a client is assigned: `owned = owned.adding(resource)`.
///
/// A property whose getter is public counts as changed in place, so it is computed from a private one. Beside a queue that is
/// changed in place, an observer keeps what each turn asks of it, whether it is empty or when its first is due.
extension Array {
    /// The same with an element at the end.
    package func adding(_ element: Element) -> [Element] { self + [element] }

    /// The same with another element at an index.
    package func replacing(at index: Int, with element: Element) -> [Element] {
        var copy = self
        copy[index] = element
        return copy
    }
}
