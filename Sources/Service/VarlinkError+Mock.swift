internal import Varlink

/// The errors of `io.sensorbroker.Mock`.
extension VarlinkError {
    static func notSimulated(_ name: String?) -> Self {
        .other(
            name: "io.sensorbroker.Mock.NotSimulated", parameters: name.map { ["resource": .string($0)] } ?? [:])
    }

    static func noSuchResourceToSimulate(_ name: String) -> Self {
        .other(name: "io.sensorbroker.Mock.NoSuchResource", parameters: ["resource": .string(name)])
    }

    static func noSuchFault(_ word: String) -> Self {
        .other(name: "io.sensorbroker.Mock.NoSuchFault", parameters: ["fault": .string(word)])
    }

    static func impossibleFault(_ message: String) -> Self {
        .other(name: "io.sensorbroker.Mock.ImpossibleFault", parameters: ["message": .string(message)])
    }
}
