internal import CLinux
internal import Glibc

/// Words that outlive the process: whoever has the descriptor can read what was written last, however the writer ended.
///
/// It is a shared mapping of a file in memory, so writing a word costs a store and no system call.
@safe public final class Ledger {
    /// The number of words.
    public let count: Int
    private let descriptor: Descriptor
    private let words: UnsafeMutablePointer<Int64>

    /// Creates a ledger of zeros. `memfd_create(2)`, `mmap(2)`
    public init(count: Int, name: String) throws(SystemError) {
        let file = Descriptor(owning: unsafe clinux_memory_file(name))
        guard file.number >= 0 else { throw .current("memfd_create") }
        guard let words = unsafe clinux_map_words(file.number, Int32(clamping: count)) else { throw .current("mmap") }
        self.count = count
        descriptor = file
        unsafe self.words = words
    }

    deinit { unsafe clinux_unmap_words(words, Int32(clamping: count)) }

    /// The descriptor's number, to be passed on.
    public var number: Int32 { descriptor.number }

    /// Writes a word; ignores an index beyond the end.
    public func write(_ value: Int64, at index: Int) {
        guard index >= 0, index < count else { return }
        unsafe clinux_write_word(words + index, value)
    }

    /// A record of the last message that the process sent before it died.
    public struct Note: Equatable, Sendable {
        /// Its length in words of the ledger.
        public static let words = Int(CLINUX_NOTE_WORDS)
        /// Identifies the message for the sender.
        public let tag: Int64
        /// The length of the message in bytes.
        public let length: Int64
        /// How many bytes of it the kernel took.
        public let taken: Int64

        /// A note.
        public init(tag: Int64, length: Int64, taken: Int64) {
            self.tag = tag
            self.length = length
            self.taken = taken
        }

        /// Reads the note at an index of a ledger's words; nil if there is none.
        public init?(_ words: [Int64], at index: Int) {
            guard index >= 0, index + Self.words <= words.count, words[index] != 0 else { return nil }
            let taken = unsafe words[index..<index + Self.words].withUnsafeBufferPointer { words in
                unsafe words.baseAddress.map { unsafe clinux_noted_bytes($0) }
            }
            self.init(tag: words[index], length: words[index + 1], taken: taken ?? 0)
        }
    }

    /// Calls a function with the words of a note at an index; nil if the note does not fit.
    func withNote<Result>(at index: Int, _ act: (UnsafeMutablePointer<Int64>) -> Result) -> Result? {
        guard index >= 0, index + Note.words <= count else { return nil }
        return unsafe act(words + index)
    }

    /// Reads the words of a ledger from its descriptor, which stays the caller's; nil if it is not a ledger of this
    /// size. `pread(2)`
    public static func read(_ number: Int32, count: Int) -> [Int64]? {
        let size = MemoryLayout<Int64>.size
        guard let bytes = MemoryFile.read(number, maximumBytes: count * size), bytes.count == count * size else {
            return nil
        }
        return (0..<count).map { index in
            // This host wrote it, so the byte order is right.
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index * size, as: Int64.self) }
        }
    }
}
