internal import Readings

/// A span of time in which a resource had a state other than active, or in which readings are missing.
struct Band: Equatable {
    var from: Int64
    var until: Int64
    /// `gap`, or the name of a state.
    let name: String
    /// The cause of a gap, or the reason of a state.
    var reason: String
    /// How many bands this one stands for.
    var number = 1
    /// The missing readings.
    var missing = Missing()
}

/// How many readings are missing in gaps, as far as that is known.
struct Missing: Equatable {
    /// The readings of those gaps of which it is known.
    private(set) var count = 0
    /// The gaps of which it is not known.
    private(set) var unknownGaps = 0

    init() {}

    init(inGap count: Int?) { (self.count, unknownGaps) = (count ?? 0, count == nil ? 1 : 0) }

    static func += (sum: inout Self, other: Self) {
        sum.count = sum.count.addingSaturating(other.count)
        sum.unknownGaps += other.unknownGaps
    }
}

/// The bands of a resource, in bounded memory: of too many, neighbours become one.
///
/// Anybody may have written the reasons, so those that are told apart are few: else too many bands would have no neighbour.
struct Bands {
    private static let most = 2_048
    private static let mostReasons = 64

    private(set) var all: [Band] = []
    /// All gaps, merged or not, by cause.
    private(set) var gaps: [(cause: String, count: Int, missing: Missing)] = []
    /// Bands that are no further apart than this become one.
    private var reach: Int64 = 0
    private var reasons: Set<String> = []

    mutating func add(_ band: Band) {
        var band = band
        if !reasons.contains(band.reason) {
            if reasons.count < Self.mostReasons { reasons.insert(band.reason) } else { band.reason = "other" }
        }
        if band.name == "gap" { count(band) }
        append(band)
        while all.count > Self.most {
            reach = max(1_000_000, reach.addingSaturating(reach))
            let old = all
            all = []
            for band in old { append(band) }
        }
    }

    private mutating func append(_ band: Band) {
        guard reach > 0, let last = all.lastIndex(where: { $0.name == band.name && $0.reason == band.reason }),
            band.from.subtractingSaturating(all[last].until) <= reach
        else { return all.append(band) }
        all[last].from = min(all[last].from, band.from)
        all[last].until = max(all[last].until, band.until)
        all[last].number += band.number
        all[last].missing += band.missing
    }

    private mutating func count(_ band: Band) {
        let known = gaps.firstIndex { $0.cause == band.reason }
        if known == nil { gaps.append((band.reason, 0, Missing())) }
        let index = known ?? gaps.count - 1
        gaps[index].count += 1
        gaps[index].missing += band.missing
    }
}
