/// Calls that are answered once it is decided how, by their numbers.
struct HeldCalls {
    private var calls: [SensorProxy.CallNumber: HeldCall] = [:]
    private var last = 0

    /// Keeps a call; its number.
    mutating func add(_ call: HeldCall) -> SensorProxy.CallNumber {
        last += 1
        calls[last] = call
        return last
    }

    /// Replies to a call, if it is still held.
    mutating func answer(_ number: SensorProxy.CallNumber) { calls.removeValue(forKey: number)?.answer() }

    /// Replies to a call with an error, if it is still held.
    mutating func refuse(_ number: SensorProxy.CallNumber, _ refusal: SensorProxy.Refusal) {
        calls.removeValue(forKey: number)?.refuse(refusal)
    }

    /// Drops all calls, without a reply.
    mutating func removeAll() { calls = [:] }
}

extension HeldCall {
    /// Replies with the error of a refusal.
    func refuse(_ refusal: SensorProxy.Refusal) {
        switch refusal {
        case .tooMany:
            refuse(
                "org.freedesktop.DBus.Error.LimitsExceeded",
                "too many calls or claims; claim once, and release when you no longer need the sensor")
        case .notPermitted:
            refuse(
                "org.freedesktop.DBus.Error.AccessDenied",
                "your user has no active session at a seat; programs without one may claim sensors as members of the "
                    + "group sensorbroker")
        }
    }
}
