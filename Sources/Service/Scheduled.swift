public import Readings

/// Something that has to act at certain times even if nothing arrives.
public protocol Scheduled: AnyObject {
    /// When it must act next; nil: not as long as nothing arrives.
    var deadline: BootTime? { get }

    /// The turn of the loop is over: everything that was ready has been dealt with, and the deadline may have come.
    func turnDidEnd(now: BootTime)
}
