internal import Readings
internal import Varlink

extension Satellite {
    /// The satellite of an object; a system that came after this program is unknown.
    init(_ parameters: Parameters) throws(VarlinkError) {
        self.init(
            prn: Int(clamping: try parameters.integer("prn")), isUsed: try parameters.bool("used"))
        system = try parameters.optionalString("system").flatMap { System(rawValue: $0) }
        systemNumber = try parameters.optionalInteger("systemNumber").map { Int(clamping: $0) }
        elevationDegrees = try parameters.optionalNumber("elevationDegrees")
        azimuthDegrees = try parameters.optionalNumber("azimuthDegrees")
        signalDecibelHertz = try parameters.optionalNumber("signalDecibelHertz")
    }
}
