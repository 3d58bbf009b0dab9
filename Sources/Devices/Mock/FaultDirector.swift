internal import Devices
internal import Platform
internal import Synchronization

/// Wakes devices when one is unplugged or plugged in, as udev does for real ones.
///
/// Otherwise a closed device would not notice, and a failed one would only be tried again seconds later.
struct FaultDirector: Sendable {
    private final class Bell: Sendable {
        let event: WakeEvent
        let isOver = Atomic(false)
        init() throws(SystemError) { event = try WakeEvent() }
    }

    private let bell: Bell

    init() throws(SystemError) { bell = try Bell() }

    /// Reports a change that is not in the script.
    func wake() { bell.event.ring() }

    /// Ends the thread.
    func end() {
        bell.isOver.store(true, ordering: .releasing)
        bell.event.ring()
    }

    /// Starts the thread, which lasts until `end`.
    func start(_ devices: [(FaultBoard, DeviceChannel)], _ origin: MockOrigin) throws(SystemError) {
        let bell = bell
        origin.whenBegun { bell.event.ring() }
        try Thread.start(name: "faults") {
            VirtualTime.takePart(true)
            var lookedAt = Clock.bootNanoseconds()
            while !bell.isOver.load(ordering: .acquiring) {
                let next = devices.compactMap { $0.0.timeline.change(after: lookedAt) }.min()
                let wait = next.map { max(0, $0 - Clock.bootNanoseconds()) }
                let isTold = VirtualTime.wait(bell.event.descriptor, nil, nanoseconds: wait, isDriving: false).first
                if isTold { bell.event.clear() }
                let now = Clock.bootNanoseconds()
                for (board, channel) in devices where isTold || Self.hasChanged(board, since: lookedAt, until: now) {
                    channel.requestLook()
                }
                lookedAt = now
            }
            VirtualTime.takePart(false)
        }
    }

    private static func hasChanged(_ board: FaultBoard, since last: Int64, until now: Int64) -> Bool {
        board.timeline.change(after: last).map { $0 <= now } ?? false
    }
}
