public import Readings

/// The alarms of one owner: each has an instant, and an act that runs when the instant has come.
///
/// An alarm is named once, here, so it cannot be waited for and then forgotten. Its instant stays with the part that it belongs
/// to, which may change it without telling anybody.
struct Agenda {
    private struct Alarm {
        let name: StaticString
        let instant: () -> BootTime?
        let mayGoOn: Bool
        let act: (BootTime) -> Void
    }

    private var alarms: [Alarm] = []

    /// Adds an alarm: when it is due (nil: it is not set), and what is done then.
    ///
    /// The act sets it to a later instant or to nil, unless it may go on in the next turn.
    mutating func add(
        _ name: StaticString, at instant: @escaping () -> BootTime?, mayGoOn: Bool = false,
        _ act: @escaping (BootTime) -> Void
    ) {
        alarms.append(Alarm(name: name, instant: instant, mayGoOn: mayGoOn, act: act))
    }

    /// When the first alarm is due; nil: none is set.
    var next: BootTime? {
        // Every turn asks this, so by places in a span: a loop over the alarms themselves would take hold of each.
        let alarms = alarms.span
        var earliest: BootTime?
        for place in alarms.indices { earliest = BootTime.earlier(earliest, alarms[place].instant()) }
        return earliest
    }

    /// Acts on the alarms that are due, in the order in which they were added.
    func meet(_ now: BootTime) {
        let alarms = alarms.span
        for place in alarms.indices {
            guard let instant = alarms[place].instant(), instant <= now else { continue }
            alarms[place].act(now)
            let isStillDue = alarms[place].instant().map { $0 <= now } ?? false
            assert(
                alarms[place].mayGoOn || !isStillDue,
                "after its act the alarm \(alarms[place].name) is still due: the loop would spin")
        }
    }
}

/// Something that has to act at certain times even if nothing arrives.
public protocol Scheduled: AnyObject {
    /// When it must act next; nil: not as long as nothing arrives.
    var deadline: BootTime? { get }

    /// The turn of the loop is over: everything that was ready has been dealt with, and the deadline may have come.
    func turnDidEnd(now: BootTime)
}
