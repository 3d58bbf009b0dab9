internal import BrokerClient
internal import Formats
internal import Printable
internal import Programs
internal import Readings

/// Writes locations as the sentences of a receiver, for programs that read NMEA 0183.
struct NMEAFormat: StreamFormat {
    func begin(_ resources: [Resource]) throws(Failure) -> [String] {
        guard let other = resources.first(where: { $0.kind != Kind.location.wire }) else { return [] }
        throw Failure(
            .usage, "nmea is for locations, but \(other.name.printable) is \(other.kind.printable): use --format json")
    }

    /// One row, and so one reading for `--count`, though it has several lines.
    ///
    /// Each ends with CR LF, as the standard demands.
    func rows(of reading: Reading) -> [String] {
        guard case .location(let location, _) = reading.content else { return [] }
        return [NMEAWriter.sentences(location).map { $0 + "\r" }.joined(separator: "\n")]
    }
}
