/// Whether a device may have changed since somebody looked: one mark for all of it, so that one question is enough.
public final class ChangeMark {
    // Each turn reads and sets these, so they are only assigned, and only here.
    private(set) var isSet = true
    private var list: ChangedDevices?
    /// The place of its device among those that the list is of.
    fileprivate private(set) var place = 0
    /// The one behind it in the list.
    fileprivate private(set) var next: ChangeMark?

    /// A mark that is set: nobody has looked yet.
    public init() {}

    /// It may have changed.
    public func set() {
        guard !isSet else { return }
        isSet = true
        enter()
    }

    /// It counts as unchanged from now on.
    public func clear() { (isSet, next) = (false, nil) }

    /// From now on a list has it whenever it is set; nil: none has.
    public func belong(to list: ChangedDevices?, at place: Int) {
        (self.list, self.place, next) = (list, place, nil)
        if isSet { enter() }
    }

    private func enter() {
        guard let list else { return }
        next = list.first
        list.first = self
    }
}

/// Which of some devices may have changed, so that whoever looks goes through these, however many others there are.
///
/// A chain of their marks: a change assigns two references, and allocates nothing.
public final class ChangedDevices {
    fileprivate var first: ChangeMark?

    /// None has changed.
    public init() {}

    /// Their places, in no order.
    public var places: Places { Places(mark: first) }

    /// The same; whoever takes them has each device forget its change, and a later change puts it here again.
    public func take() -> Places {
        defer { first = nil }
        return places
    }

    /// Places of devices, in no order.
    public struct Places: Sequence, IteratorProtocol {
        fileprivate var mark: ChangeMark?

        /// The next one; its device may change meanwhile.
        public mutating func next() -> Int? {
            guard let mark else { return nil }
            self.mark = mark.next
            return mark.place
        }
    }
}
