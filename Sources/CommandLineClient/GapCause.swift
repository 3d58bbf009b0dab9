/// Why readings are missing, in a few words.
enum GapCause {
    static func words(_ cause: String) -> String {
        switch cause {
        case "slowClient": "taken too slowly"
        case "deviceOverflow": "overflow of the device"
        case "deviceLost": "device lost"
        case "reconfigured": "device reconfigured"
        case "released": "device released"
        case "restarted": "broker restarted"
        default: cause.printable
        }
    }
}
