import Readings

@testable import Gpsd

/// The valid values of reports, and the numbers of the others, each by itself.
extension FixValidation {
    static func location(of report: FixReport) -> Location {
        var check = ValueCheck()
        return location(of: report, &check)
    }

    static func refusals(in report: FixReport) -> Int {
        var check = ValueCheck()
        _ = location(of: report, &check)
        return check.refused
    }
}

extension Gpsd.Attitude {
    init(_ report: AttitudeReport) {
        var check = ValueCheck()
        self.init(report, &check)
    }

    init(baseline report: BaselineReport) {
        var check = ValueCheck()
        self.init(baseline: report, &check)
    }

    static func refusals(in report: AttitudeReport) -> Int {
        var check = ValueCheck()
        _ = Self(report, &check)
        return check.refused
    }
}
