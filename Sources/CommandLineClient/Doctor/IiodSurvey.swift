/// An iiod at a place, asked for its version.
enum IiodSurvey {
    static func view(at place: String) -> (PlaceView, IiodView) {
        let service = ServiceSurvey(place, port: 30_431)
        do throws(Silence) {
            return (service.place, view(of: try service.ask("VERSION\r\n") { $0.utf8.last == UInt8(ascii: "\n") }))
        } catch { return (service.place, .unreachable(error)) }
    }

    /// What its words mean: `VERSION` is answered by a line like `0.24.c4498c2`.
    static func view(of text: String) -> IiodView {
        let parts = text.split(separator: ".", maxSplits: 2)
        return parts.count == 3 && parts[..<2].allSatisfy { UInt16($0) != nil } ? .answers : .stranger
    }
}
