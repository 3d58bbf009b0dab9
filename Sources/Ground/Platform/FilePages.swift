internal import CLinux
internal import Glibc

/// Lets go of the pages of the program and its libraries that only a start needs.
///
/// They are two fifths of what an idle daemon would have in RAM: its own start, and that of some twenty libraries which come with
/// libiio, libgps and libsystemd; the dynamic linker and their constructors look into each of them. The kernel takes such pages
/// back late, since they are mapped. What is called again is mapped again, without a read while the page cache has it.
public enum FilePages {
    private static let pageBytes = UInt(getpagesize())

    /// Lets go of all code and constants that nobody has written to. `dl_iterate_phdr(3)`, `proc_pid_pagemap(5)`, `madvise(2)`
    ///
    /// No library is unloaded meanwhile. One that another thread loads may be relocated, but in its writable segments.
    public static func release() {
        let map = Descriptor(owning: unsafe open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC))
        guard map.number >= 0 else { return }
        var number = map.number
        _ = unsafe dl_iterate_phdr(
            { loaded, _, number in
                guard let loaded = unsafe loaded?.pointee,
                    let map = unsafe number?.load(as: Int32.self)
                else { return 0 }
                for index in 0..<Int(unsafe loaded.count) {
                    let segment = unsafe loaded.segments[index]
                    guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { continue }
                    let start = unsafe loaded.base &+ UInt(segment.p_vaddr)
                    FilePages.release(start..<start &+ UInt(segment.p_memsz), map)
                }
                return 0
            }, &number)
    }

    private static func release(_ addresses: Range<UInt>, _ map: Int32) {
        let pages = addresses.lowerBound / pageBytes..<(addresses.upperBound + pageBytes - 1) / pageBytes
        var entries = [UInt64](repeating: 0, count: pages.count)
        let bytes = entries.count * MemoryLayout<UInt64>.stride
        guard unsafe pread(map, &entries, bytes, off_t(pages.lowerBound) * 8) == bytes else { return }
        for run in unchanged(entries) {
            let start = (pages.lowerBound + UInt(run.lowerBound)) * pageBytes
            _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: start), run.count * Int(pageBytes), MADV_DONTNEED)
        }
    }

    /// Runs of pages that are in RAM and still their file's: not those that a relocation, a breakpoint or a probe has changed.
    static func unchanged(_ entries: [UInt64]) -> [Range<Int>] {
        let (isPresent, isOfFile): (UInt64, UInt64) = (1 << 63, 1 << 61)
        var runs: [Range<Int>] = []
        for (index, entry) in entries.enumerated() where entry & isPresent != 0 && entry & isOfFile != 0 {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }
}
