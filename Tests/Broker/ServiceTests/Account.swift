import Varlink

/// What a stream has delivered, and what it has reported as missing.
struct Account {
    var readings: Int64 = 0
    var gaps: Int64 = 0
    var last: Int64 = -1
    var isInOrder = true

    mutating func add(_ reply: Parameters) {
        for gap in (try? reply.optionalObjects("gaps")) ?? [] { gaps += (try? gap.integer("count")) ?? 0 }
        for reading in (try? reply.optionalObjects("readings")) ?? [] {
            let count = (try? reading.object("values").object("columns").array("x").count) ?? 0
            guard let first = try? reading.integer("sequence") else { continue }
            isInOrder = isInOrder && first > last
            last = first + Int64(count) - 1
            readings += Int64(count)
        }
    }
}
