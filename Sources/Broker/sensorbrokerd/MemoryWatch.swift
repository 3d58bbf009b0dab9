internal import Platform
internal import Service

/// Closes unused devices under memory pressure.
final class MemoryWatch {
    private let pressure: MemoryPressure

    private init(_ pressure: consuming MemoryPressure) { self.pressure = pressure }

    /// Starts to watch.
    ///
    /// If that is impossible, that is logged, and devices are closed after their grace time.
    static func begin(on server: Server, _ broker: Broker, _ journal: Journal) {
        let candidates = MemoryPressure.candidates()
        guard !candidates.isEmpty else { return }
        do throws(SystemError) {
            let watch = MemoryWatch(try MemoryPressure.first(of: candidates))
            let number = watch.pressure.descriptor
            try server.watch(number, for: watch.pressure.interest) { [unowned server] now in
                if watch.pressure.clear() { return broker.memoryIsShort(now: now) }
                journal.write(.warning, "\(watch.pressure.path) no longer reports memory pressure")
                server.unwatch(number)
            }
        } catch {
            let paths = candidates.map(\.path).joined(separator: " nor ")
            journal.write(
                .notice,
                "cannot watch memory pressure at \(paths) (\(error)): unused devices stay open for their full grace time"
            )
        }
    }
}
