internal import Glibc
internal import Platform
internal import Printable

/// Shows on a line of the terminal how much of a file has been read.
///
/// Nothing is shown where notes do not go to a terminal, nor if the output goes there too.
final class Progress {
    private static let everyNanoseconds: Int64 = 500_000_000

    var count = 0
    private let terminal: Terminal
    private let name: String
    private var next: Int64?
    private var pass: Int64 = 0
    private var passes: Int64 = 1

    /// The progress of a command that writes to a file, or to the standard output.
    init(_ terminal: Terminal, _ name: String, writesToFile: Bool = true) {
        (self.terminal, self.name) = (terminal, name)
        let isShown = isatty(terminal.notes) == 1 && (writesToFile || isatty(terminal.output) == 0)
        next = isShown ? Clock.bootNanoseconds() + Self.everyNanoseconds : nil
    }

    /// From here on the file is read again, the how manieth time of how many.
    func begin(pass: Int, of passes: Int) { (self.pass, self.passes) = (Int64(pass), Int64(passes)) }

    func show(_ hundredths: Int64) {
        guard let due = next, Clock.bootNanoseconds() >= due else { return }
        next = Clock.bootNanoseconds() + Self.everyNanoseconds
        let words = count == 0 ? "examined" : "read, \(count) samples"
        terminal.noteInPlace("\((pass * 100 + hundredths) / passes) % \(words): \(name)")
    }

    func end() {
        if next != nil { terminal.noteInPlace("") }
        next = nil
    }
}
