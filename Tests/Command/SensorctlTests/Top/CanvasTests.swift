import Testing

@testable import sensorctl

@Suite("A page of a terminal") struct CanvasTests {
    @Test("holds what fits, and nothing but printable characters")
    func texts() {
        var canvas = Canvas(width: 10, height: 2)
        #expect(canvas.put("\u{1B}[31mred\u{7}\u{9B}", 0, 0) == 10)
        #expect(canvas.put("behind", 8, 1) == 10)
        canvas.put("above", 0, -1)
        canvas.put("below", 0, 2)
        #expect(canvas.lines == ["\\u001b[31m", "        be"])
    }

    @Test("gives a wide character two cells, and cuts none in half")
    func wide() {
        var canvas = Canvas(width: 5, height: 1)
        #expect(canvas.put("測定器", 0, 0) == 4)
        #expect(canvas.lines == ["測定"])
        #expect(TerminalText.width("e\u{301}測\u{200B}") == 9)
        #expect(TerminalText.cut("測定器", to: 5) == "測定…" && TerminalText.cut("abc", to: 0) == "")
    }

    @Test("is nothing at all if the terminal has no room")
    func nothing() {
        for (width, height) in [(0, 0), (0, 9), (9, 0), (-1, -1)] {
            var canvas = Canvas(width: width, height: height)
            canvas.put("x", 0, 0)
            canvas.restyle(0..<3, 0) { $0.isBold = true }
            #expect(canvas.lines.allSatisfy { $0.isEmpty })
        }
    }

    @Test("comes in runs of one look")
    func runs() {
        var canvas = Canvas(width: 6, height: 1)
        canvas.put("ab", 0, 0, .bold)
        canvas.put("c", 2, 0)
        let runs = canvas.runs(0)
        #expect(runs.map(\.text) == ["ab", "c   "] && runs.map(\.column) == [0, 2])
    }

    @Test("has an ASCII character for each of its own pictures")
    func ascii() {
        let texts = ["▁▂▃▄▅▆▇█", "⠉⠒⠤⣀⣿", "↑↗→↘↓↙←↖", "┌─│├┤●·▲▼±°µ²…"]
        for scalar in texts.joined().unicodeScalars {
            let ascii = TerminalText.ascii(scalar)
            #expect(ascii.isASCII && ascii != "?", "\(scalar)")
        }
        #expect(TerminalText.ascii("測") == "?")
    }
}

@Suite("Dots") struct DotCanvasTests {
    @Test("are braille, two by four in a cell, and lines have no holes")
    func lines() {
        var dots = DotCanvas(columns: 3, rows: 2)
        dots.line((0, 7), (5, 0))
        dots.set(-1, 0)
        dots.set(6, 8)
        var canvas = Canvas(width: 3, height: 2)
        dots.draw(on: &canvas, 0, 0)
        #expect(canvas.lines == [" ⢀⠎", "⡰⠁"])
    }
}
