/// A gpsd at a place, asked for its receivers.
enum GpsdSurvey {
    static func view(at place: String) -> (PlaceView, GpsdView) {
        let service = ServiceSurvey(place, port: 2_947)
        do throws(Silence) {
            let answer = try service.ask("?DEVICES;\n") {
                $0.utf8.last == UInt8(ascii: "\n") && $0.contains(#""class":"DEVICES""#)
            }
            return (service.place, receivers(in: answer))
        } catch { return (service.place, .unreachable(error)) }
    }

    /// What its words mean: `?DEVICES;` is answered by a line with a path for each receiver.
    static func receivers(in text: String) -> GpsdView {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.contains(#""class":"VERSION""#) }) else { return .stranger }
        let devices = lines.first { $0.contains(#""class":"DEVICES""#) } ?? ""
        return .receivers(devices.split(separator: #""path":"#, omittingEmptySubsequences: false).count - 1)
    }
}
