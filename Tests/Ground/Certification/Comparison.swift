internal import Varlink

extension Call {
    /// The call as it stands on the wire.
    var header: JSONObject {
        var header: JSONObject = ["method": .string(qualifiedMethod), "parameters": .object(parameters.object)]
        if mode != .plain { _ = header.append(mode.rawValue, true) }
        return header
    }
}

extension JSONValue {
    /// Whether this is what was wanted: `1` is `1.0`, a null member is an absent one, the order of members is free.
    func isCertified(as wanted: JSONValue) -> Bool {
        switch (self, wanted) {
        case (.object(let got), .object(let wanted)): Self.isCertified(got, as: wanted)
        case (.array(let got), .array(let wanted)):
            got.count == wanted.count && zip(got, wanted).allSatisfy { $0.isCertified(as: $1) }
        case (.integer(let got), .number(let wanted)): Double(got) == wanted
        case (.number(let got), .integer(let wanted)): got == Double(wanted)
        default: self == wanted
        }
    }

    private static func isCertified(_ got: JSONObject, as wanted: JSONObject) -> Bool {
        let got = got.members.filter { $0.value != .null }
        let wanted = wanted.members.filter { $0.value != .null }
        return got.count == wanted.count
            && wanted.allSatisfy { member in
                got.contains { $0.key == member.key && $0.value.isCertified(as: member.value) }
            }
    }
}
