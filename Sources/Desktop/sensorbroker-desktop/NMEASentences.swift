internal import Formats
internal import Readings

/// A location as geoclue reads it.
///
/// geoclue derives the accuracy from the HDOP alone, by a table of its own. So the HDOP that is written is not the receiver's, but
/// one from which geoclue derives an accuracy that is not less than the 95 % error.
enum NMEASentences {
    /// HDOP, and the accuracy in metres that geoclue 2.5 to 2.7 derives from it; of an HDOP up to 1 it makes 0 m, which no
    /// receiver has.
    private static let accuracies: [(dilution: Double, meters: Double)] = [
        (2, 1), (5, 3), (10, 50), (20, 100), (50, 300),
    ]

    /// The HDOP for a 95 % error: that of the smallest accuracy that covers it.
    ///
    /// Nil if none does; an unknown error counts as 300 m.
    static func dilution(forError meters: Double?) -> Double? {
        accuracies.first { $0.meters >= meters ?? 300 }?.dilution
    }

    /// The lines of a location, GGA and RMC; a position whose error no HDOP can express is left out.
    static func lines(_ location: Location) -> [UInt8] {
        let dilution = dilution(forError: location.horizontalErrorMeters)
        var shown = location
        if dilution == nil { shown.fix = .noPosition }
        let sentences = NMEAWriter.sentences(shown, [.gga, .rmc], horizontalDilution: dilution)
        return Array(sentences.joined(separator: "\r\n").utf8) + [13, 10]
    }
}
