internal import Devices
internal import Platform
internal import Synchronization

/// Wakes devices when one is unplugged or plugged in, as udev does for real ones.
///
/// Otherwise a closed device would not notice, and a failed one would only be tried again seconds later.
struct FaultDirector: Sendable {
    private final class Flag: Sendable { let isSet = Atomic(false) }

    private let changed: SharedWakeEvent
    private let isOver = Flag()

    init() throws(SystemError) { changed = try SharedWakeEvent() }

    /// Reports a change that is not in the script.
    func wake() { changed.signal() }

    func end() {
        isOver.isSet.store(true, ordering: .releasing)
        changed.signal()
    }

    /// Starts the thread, which lasts until `end`.
    func start(_ devices: [(FaultBoard, DeviceChannel)], _ origin: MockOrigin) throws(SystemError) {
        let (changed, isOver) = (changed, isOver)
        origin.whenBegun { changed.signal() }
        try Thread.start(name: "faults") {
            VirtualTime.takePart(true)
            var lookedAt = Clock.bootNanoseconds()
            while !isOver.isSet.load(ordering: .acquiring) {
                let next = devices.compactMap { $0.0.timeline.change(after: lookedAt) }.min()
                let wait = next.map { max(0, $0 - Clock.bootNanoseconds()) }
                let isWoken = VirtualTime.wait(changed.descriptor, nil, nanoseconds: wait, isDriving: false).first
                if isWoken { changed.clear() }
                let now = Clock.bootNanoseconds()
                for (board, channel) in devices where isWoken || Self.hasChanged(board, since: lookedAt, until: now) {
                    channel.request(.look)
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
