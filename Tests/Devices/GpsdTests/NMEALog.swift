import Foundation

/// Sentences of an invented receiver that walks north-east, one array per epoch.
struct NMEALog {
    /// The receiver's values at an epoch.
    enum State { case noFix, flat, full }

    /// The time between two epochs.
    var intervalMilliseconds = 100
    /// UTC of the first epoch, in seconds of its day.
    var startSecond = 36_000
    /// Whether each epoch has a sentence in its middle that denies the fix.
    var flaps = false

    func epochs(_ states: [State]) -> [[String]] { states.enumerated().map { epoch($0.offset, $0.element) } }

    /// The sentences of an epoch: gpsd has the whole fix only after the last one.
    func epoch(_ index: Int, _ state: State) -> [String] {
        let (time, step) = (self.time(index), Double(index) * 0.0001)
        let position = String(format: "52%07.4f,N,013%07.4f,E", 30 + step, 24 + step)
        let used = state == .noFix ? ",,,,,,,,,,," : "01,02,03,04,05,,,,,,,"
        let mode =
            switch state {
            case .noFix: 1;
            case .flat: 2;
            case .full: 3
            }
        let place = state == .noFix ? ",,," : position
        let quality = state == .noFix ? "0,00" : "1,05"
        var bodies = [
            "GPGGA,\(time),\(place),\(quality),1.2,\(state == .noFix ? "" : "34.5"),M,\(state == .noFix ? "" : "44.0"),M,,",
            "GPGSA,A,\(mode),\(used),2.0,1.2,1.6",
            "GPGSV,2,1,06,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45",
            "GPGSV,2,2,06,05,51,120,30,06,11,010,",
        ]
        if flaps { bodies.append("GPGLL,\(position),\(time),V") }
        let speed = state == .noFix ? "," : String(format: "%.2f,45.00", 2 + Double(index % 7))
        bodies.append("GPRMC,\(time),\(state == .noFix ? "V" : "A"),\(place),\(speed),150326,,")
        return bodies.map(Self.sentence)
    }

    private func time(_ index: Int) -> String {
        let milliseconds = startSecond * 1000 + index * intervalMilliseconds
        let seconds = milliseconds / 1000
        return String(
            format: "%02d%02d%02d.%03d", seconds / 3600, seconds / 60 % 60, seconds % 60, milliseconds % 1000)
    }

    /// A sentence with its checksum.
    static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        return "$\(body)*\(String(format: "%02X", sum))\r\n"
    }
}
