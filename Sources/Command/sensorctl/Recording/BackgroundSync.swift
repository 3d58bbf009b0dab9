internal import Glibc
internal import Platform
internal import Synchronization

/// Has files written to the disk by threads of its own: a disk may take longer for that than a stream can wait.
final class BackgroundSync: Sendable {
    /// A disk that hangs holds no more threads than this.
    private static let mostThreads = 2

    private let count = Atomic<Int>(0)

    /// Begins to write a file, and its name in the directory, to the disk; owns the descriptor. `fdatasync(2)`
    ///
    /// If too many are being written, it is left to the kernel, which does so within half a minute.
    func sync(_ file: consuming Descriptor, _ directory: String) {
        guard file.number >= 0, count.add(1, ordering: .relaxed).newValue <= Self.mostThreads else {
            count.subtract(1, ordering: .relaxed)
            return
        }
        let number = file.release()
        let work = { @Sendable [self] in
            fdatasync(number)
            close(number)
            let entries = Descriptor(owning: unsafe open(directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC))
            if entries.number >= 0 { fsync(entries.number) }
            count.subtract(1, ordering: .relaxed)
        }
        do throws(SystemError) { try Thread.start(name: "sync", work) } catch {
            close(number)
            count.subtract(1, ordering: .relaxed)
        }
    }
}
