import Testing

@testable import Configuration

@Suite("The text of a configuration file") struct ConfigurationTextTests {
    private func read(_ text: String) -> ConfigurationText { ConfigurationText(Array(text.utf8), file: "f") }

    /// `Section.Key=value@line`, of all sections in order.
    private func assignments(_ text: ConfigurationText) -> [String] {
        text.sections.flatMap { section in
            section.entries.map { "\(section.name).\($0.key)=\($0.value)@\($0.line)" }
        }
    }

    @Test("consists of sections of assignments; surrounding spaces, blank lines and comments are ignored")
    func plain() {
        let text = read("# a\n\n[One]\n  A = b c \n;c\n\t# d\n[Two]\nA==\nB=\n")
        #expect(text.problems.isEmpty)
        #expect(text.sections.map(\.line) == [3, 7])
        #expect(assignments(text) == ["One.A=b c@4", "Two.A==@8", "Two.B=@9"])
    }

    @Test("keeps text after a value that other parsers would treat as a comment")
    func semicolons() {
        let text = read("[A]\nMatrix=1, 0, 0 ; 0, 1, 0; 0, 0, 1 # x\n")
        #expect(assignments(text) == ["A.Matrix=1, 0, 0 ; 0, 1, 0; 0, 0, 1 # x@2"])
    }

    @Test("continues a line that ends in a backslash, over comments, and names the line on which it began")
    func continuation() {
        let text = read("[A]\nM=1 \\\n# no part of it\n  2\\\n3\nN=4\\\\\nO=5")
        #expect(assignments(text) == ["A.M=1    2 3@2", "A.N=4\\\\@6", "A.O=5@7"])
        #expect(assignments(read("[A]\nM=1\\")) == ["A.M=1@2"])
    }

    @Test("may come from another system: carriage returns, a byte order mark, no end of line")
    func foreign() {
        let text = read("\u{FEFF}[A]\r\nM=1\\\r\n2\r\nN=3\r")
        #expect(text.problems.isEmpty)
        #expect(assignments(text) == ["A.M=1 2@2", "A.N=3@4"])
    }

    @Test(
        "has its errors reported by line, and the rest is parsed nevertheless",
        arguments: [
            ("A=1\n[B]\nC=2", 1, "before any section"),
            ("[B]\nC=2\nGarbage", 3, "no '=' in 'Garbage'"),
            ("[B]\nC=2\n=3", 3, "nothing stands before '='"),
            ("[B]\nC=2\n[D\nE=1\nF=1", 3, "'[D' is not a section"),
            ("[B]\nC=2\n[]", 3, "not a section"),
            ("[B]\nC=2\n[a]b]", 3, "not a section"),
            ("[B]\nC=2\nD=\0", 3, "UTF-8"),
        ])
    func errors(text: String, line: Int, words: String) throws {
        let text = read(text)
        #expect(text.problems.count == 1)
        let problem = try #require(text.problems.first)
        #expect(problem.line == line && problem.message.contains(words), "\(problem)")
        #expect(problem.description.hasPrefix("f:\(line): "))
        #expect(assignments(text).contains { $0.hasPrefix("B.C=2") })
    }

    @Test("has all of its errors reported, not only the first")
    func allErrors() {
        #expect(read("x\n[A]\ny\nB=1\nz").problems.map(\.line) == [1, 3, 5])
    }

    @Test("that is not text has a bounded number of errors, without its control characters")
    func garbage() {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<65_536).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = ConfigurationText(bytes, file: "f")
        #expect(!text.problems.isEmpty && text.problems.count <= ConfigurationText.maximumProblems + 1)
        let lines = String(repeating: "\u{1b}[31m evil\n", count: 1000)
        let forged = read(lines)
        #expect(forged.problems.count == ConfigurationText.maximumProblems + 1)
        #expect(forged.problems.allSatisfy { $0.description.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test("quotes only the beginning of a long line")
    func longLine() throws {
        let problem = try #require(read(String(repeating: "x", count: 100_000)).problems.first)
        #expect(problem.message.utf8.count < 200 && problem.message.contains("…"))
    }
}

@Suite("Drop-ins") struct DropInsTests {
    @Test("are read in the order of their names, whatever their directories")
    func order() {
        #expect(
            DropIns.paths([("/etc", ["50-b.conf", "9.conf"]), ("/usr/lib", ["10-a.conf", "60-c.conf"])])
                == ["/usr/lib/10-a.conf", "/etc/50-b.conf", "/usr/lib/60-c.conf", "/etc/9.conf"])
    }

    @Test("with the same name: the one in the directory of higher priority replaces the others")
    func precedence() {
        #expect(
            DropIns.paths([("/etc", ["a.conf"]), ("/run", ["a.conf", "b.conf"]), ("/usr/lib", ["b.conf", "c.conf"])])
                == ["/etc/a.conf", "/run/b.conf", "/usr/lib/c.conf"])
    }

    @Test("are only files called .conf that are not hidden")
    func names() {
        #expect(
            DropIns.paths([("/etc", ["a.conf~", "b.conf.dpkg-new", ".c.conf", "d.Conf", "README", "e.conf"])])
                == ["/etc/e.conf"])
    }
}

@Suite("A suggestion") struct SuggestionTests {
    private let words = ["Gpsd", "WarmGraceSec", "MinimumIntervalSec"]

    @Test(
        "is the word that differs by a typing error",
        arguments: [
            ("gpsd", "Gpsd"), ("Gspd", "Gpsd"), ("Gpds", "Gpsd"), ("WarmGrace", "WarmGraceSec"),
            ("WramGraceSec", "WarmGraceSec"),
        ]
            as [(String, String?)])
    func near(word: String, meant: String?) { #expect(Suggestion.nearest(to: word, among: words) == meant) }

    @Test(
        "is nil for an unlike or empty word",
        arguments: ["Colour", "", String(repeating: "G", count: 9999)])
    func far(word: String) { #expect(Suggestion.nearest(to: word, among: words) == nil) }
}
