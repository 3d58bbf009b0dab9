import Readings
import Testing

@testable import sensorctl

@Suite("A small picture") struct GaugesTests {
    private static func text(_ pieces: [Gauges.Piece]) -> String { pieces.map(\.text).joined() }

    @Test("is a bar for each part, and blank where nothing was measured")
    func sparkline() {
        #expect(Gauges.sparkline([0...0, nil, 7...7, 2...4], least: 0.1) == "▁ █▄")
        #expect(Gauges.sparkline([5...5, 5.01...5.01], least: 1) == "▄▅")
        #expect(Gauges.sparkline([nil, nil], least: 1) == "  ")
    }

    @Test("is a spirit level: the bubble goes to the side that is up")
    func level() {
        #expect(Self.text(Gauges.level(x: 0, y: 0, z: 9.81, width: 11)) == "(    ●    )")
        #expect(Self.text(Gauges.level(x: 9.81, y: 0, z: 0, width: 11)) == "(    ·   ⠤)")
        #expect(Self.text(Gauges.level(x: -2, y: 4, z: 9, width: 11)) == "(  ⠉ ·    )")
        #expect(Self.text(Gauges.level(x: 0, y: 0, z: 0, width: 11)) == "(    ●    )")
        #expect(Gauges.level(x: 0, y: 0, z: 1, width: 3).isEmpty)
    }

    @Test("is a bar for each satellite that is heard, those in use first, loudest first")
    func signals() {
        let satellites = [(20.0, true), (50, true), (45, false), (nil, true)].map { signal, isUsed in
            var satellite = Satellite(prn: 1, isUsed: isUsed)
            satellite.signalDecibelHertz = signal
            return satellite
        }
        #expect(Self.text(Gauges.signals(satellites, width: 9)) == "█▄▇")
        #expect(Self.text(Gauges.signals(satellites, width: 1)) == "█")
    }

    @Test(
        "is an arrow to the nearest eighth",
        arguments: [
            (0.0, "↑", "N"), (44, "↗", "NE"), (337.6, "↑", "N"), (359, "↑", "N"), (-90, "←", "W"), (181, "↓", "S"),
        ])
    func arrows(degrees: Double, arrow: String, point: String) {
        #expect(Gauges.arrow(degrees) == arrow && Gauges.compass(degrees) == point)
    }

    @Test("is a way with the north up, also across the antimeridian")
    func track() throws {
        let map = try #require(TrackMap([(0, 179.999), (0.001, -179.999)]))
        #expect(abs(map.width - 222.6) < 1 && abs(map.height - 111.3) < 1)
        var dots = DotCanvas(columns: 4, rows: 2)
        map.draw(on: &dots, .plain)
        var canvas = Canvas(width: 4, height: 2)
        dots.draw(on: &canvas, 0, 0)
        #expect(canvas.lines == ["  ⣀⠤", "⠒⠉"])
        #expect(TrackMap([]) == nil)
    }

    @Test("is a number with few digits")
    func numbers() {
        #expect(
            TopText.rate(99.98) == "99.98 Hz" && TopText.rate(1_600) == "1.600 kHz" && TopText.rate(200) == "200.0 Hz")
        #expect(TopText.span(123_456) == "123 µs" && TopText.span(2.5e6) == "2.50 ms" && TopText.span(0) == "0.00 µs")
        #expect(TopText.uptime(90_061_000_000_000) == "1d 1h" && TopText.uptime(0) == "0s")
        #expect(
            TopText.count(99_999) == "99999" && TopText.count(123_456) == "123k" && TopText.count(4_560_000) == "4.6M")
        #expect(
            TopText.interval(nil) == "usual" && TopText.interval(0) == "all" && TopText.interval(20_000_000) == "20 ms")
    }
}
