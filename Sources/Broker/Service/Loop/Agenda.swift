internal import Delivery
public import Readings

/// The alarms of one owner: each has an instant, and an action that runs when the instant has come.
///
/// An alarm is named once, here, so its wait and its action cannot get separated. Its instant stays with the part that
/// it belongs to, which may change it without notifying anybody.
final class Agenda {
    private struct Alarm {
        let name: StaticString
        let slackNanoseconds: Int64
        let instant: () -> BootTime?
        let mayGoOn: Bool
        let act: (BootTime) -> Void
    }

    // Each turn reads this, so it is only assigned (`Array.adding`).
    private var alarms: [Alarm] = []

    /// Adds an alarm: when it is due (nil: it is not set), and what to do then.
    ///
    /// The action must set the alarm to a later instant or to nil, unless it may go on in the next turn. It may run sooner
    /// than it is due, by the slack, in a turn that takes place anyway: what is not urgent needs no wake-up of its own as
    /// long as readings flow.
    func add(
        _ name: StaticString, at instant: @escaping () -> BootTime?, slackNanoseconds: Int64 = 0, mayGoOn: Bool = false,
        _ act: @escaping (BootTime) -> Void
    ) {
        assert(slackNanoseconds >= 0)
        alarms = alarms.adding(
            Alarm(name: name, slackNanoseconds: slackNanoseconds, instant: instant, mayGoOn: mayGoOn, act: act))
    }

    var next: BootTime? { times.next }

    /// When the first alarm is due, and from when on a turn that takes place anyway may run one; nil: none is set.
    var times: (next: BootTime?, from: BootTime?) {
        // Every turn asks this, so it goes by indices in a span: a loop over the alarms themselves would retain each
        // one.
        let all = alarms
        let alarms = all.span
        var (next, from): (BootTime?, BootTime?)
        for index in alarms.indices {
            guard let instant = alarms[index].instant() else { continue }
            next = BootTime.earlier(next, instant)
            from = BootTime.earlier(from, instant + -alarms[index].slackNanoseconds)
        }
        return (next, from)
    }

    /// Runs the actions of the alarms that are due or may run, in the order in which they were added.
    func meet(_ now: BootTime) {
        let all = alarms
        let alarms = all.span
        for index in alarms.indices {
            guard let instant = alarms[index].instant(), instant + -alarms[index].slackNanoseconds <= now else {
                continue
            }
            alarms[index].act(now)
            let isStillDue = alarms[index].instant().map { $0 <= now } ?? false
            assert(
                alarms[index].mayGoOn || !isStillDue,
                "after its act the alarm \(alarms[index].name) is still due: the loop would spin")
        }
    }
}

/// Something that must act at certain times even if nothing arrives.
public protocol Scheduled: AnyObject {
    /// When it must act next; nil: not before something arrives.
    var deadline: BootTime? { get }

    /// The loop is awake, and will handle everything that is ready.
    func turnWillBegin(now: BootTime)

    /// The turn of the loop is over: everything that was ready has been handled, and the deadline may have come.
    func turnDidEnd(now: BootTime)
}
