public import Varlink

extension Reading {
    /// The reading with its first samples only; at least one.
    ///
    /// Samples that come in a burst arrive as one reading, also without a batch, so whoever counts samples may need a part of it.
    /// Columns are plain in it, packed or not.
    public func prefix(_ count: Int) throws(VarlinkError) -> Reading {
        guard case .values(let columns) = content, count < columns.count else { return self }
        let count = max(1, count)
        let members = object.members.map { member -> (String, JSONValue) in
            switch (member.key, member.value) {
            case ("values", .object(let values)): ("values", .object(columns.prefix(count, of: values)))
            case ("aligned", .array(let aligned)):
                ("aligned", .array(aligned.map { Self.prefix(count, ofAligned: $0) }))
            default: (member.key, member.value)
            }
        }
        return try Reading(Parameters(JSONObject(members)))
    }

    private static func prefix(_ count: Int, ofAligned value: JSONValue) -> JSONValue {
        guard case .object(let aligned) = value else { return value }
        return .object(
            JSONObject(
                aligned.members.map { member in
                    guard member.key == "columns", case .object(let columns) = member.value else {
                        return (member.key, member.value)
                    }
                    return (member.key, .object(JSONObject(columns.members.map { ($0.key, $0.value.prefix(count)) })))
                }))
    }
}

extension Columns {
    /// The object of the first rows: everything but the columns and the times is kept as it is.
    ///
    /// A single row is as one that came alone, without times of its own.
    fileprivate func prefix(_ count: Int, of values: JSONObject) -> JSONObject {
        var object: JSONObject = [
            "columns": .object(
                JSONObject(
                    names.enumerated().map { column, name in
                        (name, .array((0..<count).map { .number(numbers($0)[column]) }))
                    }))
        ]
        for member in values.members {
            switch member.key {
            case "columns", "packed": continue
            case "periodNanoseconds" where count == 1: continue
            case "timestampsNanoseconds", "packedStepsNanoseconds":
                if count == 1 { continue }
                object.member("timestampsNanoseconds", .array(timestampsNanoseconds.prefix(count).map { .integer($0) }))
            default: object.member(member.key, member.value)
            }
        }
        return object
    }
}

extension JSONValue {
    /// An array's first elements; another value as it is.
    fileprivate func prefix(_ count: Int) -> JSONValue {
        if case .array(let elements) = self { .array(Array(elements.prefix(count))) } else { self }
    }
}
