public import Readings
public import Varlink

extension Location {
    /// The location as the interface has it, without single satellites; what is not known is left out.
    public var object: JSONObject {
        var object: JSONObject = ["fix": .string(fix.rawValue)]
        if let utcMicroseconds { _ = object.append("utcMicroseconds", .integer(utcMicroseconds)) }
        for field in LocationField.all {
            guard let value = field.value(of: self) else { continue }
            _ = object.append(field.name, field.isWhole ? .integer(Int64(exactly: value) ?? 0) : .number(value))
        }
        return object
    }
}
