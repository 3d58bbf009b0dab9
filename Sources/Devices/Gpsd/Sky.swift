internal import Readings

/// The satellites in view, gathered from the skies of one cycle.
///
/// Pure: time is an argument. gpsd sends a SKY for each group of satellites that the receiver reports: one for all, one for
/// each system or two, one for each band, or several that grow. A fix may come between any two of them. So the reports are
/// kept until a later one replaces them, and the sky is all that they contain:
/// - A report replaces those of the cycle before, half a cycle ago or more, whose systems it has as well, and three quarters
///   of their satellites: one with fewer is rather another part of the sky.
/// - A report that was not replaced for one and a half cycles is outdated: its satellites have set.
///
/// A cycle of skies is at least one of fixes. It is longer if the receiver reports satellites less often; that shows in the
/// time after which a system is reported again.
struct Sky: Sendable {
    /// How long satellites stay valid without a further report.
    static let validNanoseconds: Int64 = 15_000_000_000
    private static let mostGaps = 8
    /// More than any cycle has.
    private static let mostReports = 32

    private struct Arrived {
        let report: SkyReport
        let systems: Set<Int>
        let satellites: Set<Satellite.Key>
        let arrival: BootTime

        init(_ report: SkyReport, at arrival: BootTime) {
            self.report = report
            self.arrival = arrival
            systems = Set(report.satellites.map(\.systemKey))
            satellites = Set(report.satellites.map(\.key))
        }

        /// Whether this is the same part of the sky as an earlier one.
        func repeats(_ earlier: Self) -> Bool {
            earlier.systems.isSubset(of: systems)
                && earlier.satellites.intersection(satellites).count * 4 >= earlier.satellites.count * 3
        }
    }

    private var reports: [Arrived] = []
    private var dilutions: (report: SkyReport, arrival: BootTime)?
    private var lastArrivals: [Int: BootTime] = [:]
    /// The longest times after which a system was reported again, of the latest reports.
    private var gaps: [Int64] = []

    /// Takes a report, given how long a cycle of fixes lasts.
    mutating func take(_ report: SkyReport, at arrival: BootTime, cycleNanoseconds: Int64) {
        let arrived = Arrived(report, at: arrival)
        if report.hasSatellites { noteGap(of: arrived.systems, at: arrival) }
        let cycle = cycle(ofFixes: cycleNanoseconds)
        if report.hasDilutions {
            dilutions = (report, arrival)
        } else if let last = dilutions, arrival - last.arrival >= cycle / 2 * 3 {
            dilutions = nil
        }
        guard report.hasSatellites else { return }
        reports.removeAll { earlier in
            let age = arrival - earlier.arrival
            return age >= cycle / 2 && arrived.repeats(earlier) || age >= cycle / 2 * 3
        }
        if reports.count == Self.mostReports { reports.removeFirst() }
        reports.append(arrived)
    }

    /// Sets what is known of the satellites, and with a fix of the dilutions.
    func put(into location: inout Location, at now: BootTime) {
        if location.fix != .noPosition, let dilutions, now - dilutions.arrival <= Self.validNanoseconds {
            location.horizontalDilution = dilutions.report.horizontalDilution
            location.verticalDilution = dilutions.report.verticalDilution
            location.positionDilution = dilutions.report.positionDilution
        }
        guard let last = reports.last, now - last.arrival <= Self.validNanoseconds else { return }
        let satellites = satellites
        // Satellites whose numbers are impossible are counted only.
        let unlisted = reports.map { $0.report.unlisted }
        location.satellitesUsed = satellites.count(where: \.isUsed) + (unlisted.map(\.used).max() ?? 0)
        location.satellitesVisible = satellites.count + (unlisted.map(\.visible).max() ?? 0)
        location.satellites = satellites
    }

    /// Each satellite once: the later report counts, and of two signals in one report the stronger.
    ///
    /// It is used if it is in any report of the cycle: in one that comes early, gpsd does not know all that are.
    private var satellites: [Satellite] {
        var merged: [Satellite] = []
        var merges: [Satellite.Key: (index: Int, report: Int)] = [:]
        for (report, arrived) in reports.enumerated() {
            for satellite in arrived.report.satellites {
                guard let known = merges[satellite.key] else {
                    merges[satellite.key] = (merged.count, report)
                    merged.append(satellite)
                    continue
                }
                merged[known.index].take(satellite, isOtherSignal: known.report == report)
                merges[satellite.key]?.report = report
            }
        }
        return merged
    }

    private mutating func noteGap(of systems: Set<Int>, at arrival: BootTime) {
        let longest = systems.compactMap { lastArrivals[$0].map { arrival - $0 } }.max()
        for system in systems { lastArrivals[system] = arrival }
        guard let longest, longest > 0, longest <= Self.validNanoseconds else { return }
        if gaps.count == Self.mostGaps { gaps.removeFirst() }
        gaps.append(longest)
    }

    /// The second longest gap counts, since one may be an interruption.
    private func cycle(ofFixes nanoseconds: Int64) -> Int64 {
        max(nanoseconds, gaps.sorted().dropLast().last ?? 0)
    }
}

extension SkyReport {
    var hasDilutions: Bool { horizontalDilution != nil || verticalDilution != nil || positionDilution != nil }

    /// The numbers of satellites that are not in the list.
    fileprivate var unlisted: (used: Int, visible: Int) {
        (used - satellites.count(where: \.isUsed), visible - satellites.count)
    }
}

extension Satellite {
    /// What distinguishes a satellite: its number in its system if both are known, else that of NMEA 0183.
    fileprivate struct Key: Hashable {
        let system: System?
        let number: Int
    }

    fileprivate var key: Key { Key(system: system, number: system.flatMap { _ in systemNumber } ?? prn) }

    /// A number for its system, from its own numbers if the system is unknown; SBAS is reported with GPS.
    fileprivate var systemKey: Int {
        switch system {
        case .gps, .sbas: return 0
        case .some(let system): return System.allCases.firstIndex(of: system) ?? 0
        case nil: break
        }
        switch prn {
        case 65...96: return System.allCases.firstIndex(of: .glonass) ?? 0
        case 193...200: return System.allCases.firstIndex(of: .qzss) ?? 0
        case 201...263, 401...437: return System.allCases.firstIndex(of: .beidou) ?? 0
        case 301...336: return System.allCases.firstIndex(of: .galileo) ?? 0
        default: return 0
        }
    }

    /// Takes what another report has of the same satellite.
    fileprivate mutating func take(_ other: Satellite, isOtherSignal: Bool) {
        isUsed = isUsed || other.isUsed
        elevationDegrees = other.elevationDegrees ?? elevationDegrees
        azimuthDegrees = other.azimuthDegrees ?? azimuthDegrees
        let signals = [isOtherSignal ? signalDecibelHertz : nil, other.signalDecibelHertz].compactMap { $0 }
        signalDecibelHertz = signals.max() ?? signalDecibelHertz
    }
}
