internal import Platform

/// The counters of a device that count only while they are on, such as those of steps: what this has turned on.
struct CounterSwitches {
    private let turnedOn: [IIOAttribute]

    /// Turns on those of some kinds that are off.
    init(of parts: [Sensor.Part]) throws(SystemError) {
        var turnedOn: [IIOAttribute] = []
        for part in parts {
            guard let enable = IIOAttribute("en", of: .channel(part.channels[0])), try enable.read() == "0" else {
                continue
            }
            turnedOn.append(enable)
            do throws(SystemError) { try enable.write("1") } catch {
                Self(turnedOn: turnedOn).restore()
                throw error
            }
        }
        self.turnedOn = turnedOn
    }

    private init(turnedOn: [IIOAttribute]) { self.turnedOn = turnedOn }

    /// Leaves each as it was found; one that is gone needs nothing.
    func restore() { for enable in turnedOn { try? enable.write("0") } }
}
