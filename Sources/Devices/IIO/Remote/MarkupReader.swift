internal import Readings

/// Why an XML description cannot be read.
enum MarkupError: Error, Equatable, CustomStringConvertible {
    case ended
    case malformed(Int)
    /// A reference to something that is defined elsewhere.
    case reference(Int)
    case tooDeep
    case tooMany(String)
    case unfit(String)

    var description: String {
        switch self {
        case .ended: "no end"
        case .malformed(let offset): "no valid markup at byte \(offset)"
        case .reference(let offset): "an entity at byte \(offset), which is not resolved"
        case .tooDeep: "elements too deep within each other"
        case .tooMany(let what): "too many \(what)"
        case .unfit(let what): "no usable \(what)"
        }
    }
}

/// Reads the XML that an iiod sends, element by element, from bytes in memory.
///
/// It knows elements, attributes and character references. It skips the declaration, comments, text and the grammar.
/// Nothing is fetched and nothing expanded: a reference to any other entity is an error.
struct MarkupReader {
    enum Event: Equatable {
        case start(String, [String: String])
        case end
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0
    /// The element that was read last was empty: `<attribute/>`.
    private var endsItself = false
    private var hadRoot = false

    private static let deepest = 8
    private static let mostAttributes = 16

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next start or end of an element; nil after the end of the outermost one.
    mutating func next() throws(MarkupError) -> Event? {
        if endsItself {
            endsItself = false
            depth -= 1
            return .end
        }
        while depth > 0 || !hadRoot {
            guard let open = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) else { throw .ended }
            offset = open
            if skip("<?", until: "?>") || skip("<!--", until: "-->") { continue }
            if starts("<!DOCTYPE"), !hadRoot {
                try skipGrammar()
            } else if starts("</") {
                guard depth > 0, let close = bytes[offset...].firstIndex(of: UInt8(ascii: ">")) else { throw .ended }
                offset = close + 1
                depth -= 1
                return .end
            } else {
                return try element()
            }
        }
        return nil
    }

    private mutating func element() throws(MarkupError) -> Event {
        offset += 1
        guard depth < Self.deepest else { throw .tooDeep }
        hadRoot = true
        depth += 1
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            if starts("/>") {
                offset += 2
                endsItself = true
                return .start(name, attributes)
            }
            if starts(">") {
                offset += 1
                return .start(name, attributes)
            }
            let key = try self.name()
            skipSpace()
            guard starts("=") else { throw malformed }
            offset += 1
            skipSpace()
            guard attributes.updateValue(try value(), forKey: key) == nil else { throw malformed }
            guard attributes.count <= Self.mostAttributes else { throw .tooMany("attributes of an element") }
        }
    }

    private mutating func name() throws(MarkupError) -> String {
        let start = offset
        while offset < bytes.count, Self.isNameByte(bytes[offset]) { offset += 1 }
        guard offset > start else { throw offset < bytes.count ? malformed : .ended }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func value() throws(MarkupError) -> String {
        guard offset < bytes.count else { throw .ended }
        let quote = bytes[offset]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw malformed }
        offset += 1
        var text: [UInt8] = []
        while offset < bytes.count {
            switch bytes[offset] {
            case quote:
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "<"): throw malformed
            case UInt8(ascii: "&"): text += try reference()
            default:
                text.append(bytes[offset])
                offset += 1
            }
        }
        throw .ended
    }

    /// The five entities that XML itself defines, and characters by their number.
    private mutating func reference() throws(MarkupError) -> [UInt8] {
        let rest = bytes[(offset + 1)...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw .reference(offset) }
        let name = String(decoding: rest[..<end], as: UTF8.self)
        let character: Unicode.Scalar? =
            switch name {
            case "lt": "<"
            case "gt": ">"
            case "amp": "&"
            case "quot": "\""
            case "apos": "'"
            case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            case _ where name.hasPrefix("#"): UInt32(name.dropFirst(1)).flatMap(Unicode.Scalar.init)
            default: nil
            }
        guard let character else { throw .reference(offset) }
        offset = end + 1
        return Array(String(character).utf8)
    }

    private mutating func skipGrammar() throws(MarkupError) {
        guard let end = bytes[offset...].firstIndex(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ">") })
        else { throw .ended }
        offset = end + 1
        guard bytes[end] == UInt8(ascii: "[") else { return }
        guard let close = bytes[offset...].firstIndex(of: UInt8(ascii: "]")) else { throw .ended }
        offset = close + 1
        skipSpace()
        guard starts(">") else { throw malformed }
        offset += 1
    }

    private mutating func skip(_ opening: StaticString, until closing: StaticString) -> Bool {
        guard starts(opening) else { return false }
        let start = offset
        offset += opening.utf8CodeUnitCount
        while offset < bytes.count {
            if starts(closing) {
                offset += closing.utf8CodeUnitCount
                return true
            }
            offset += 1
        }
        // No end: the caller, which looks for a name here, reports it.
        offset = start
        return false
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [9, 10, 13, 32].contains(bytes[offset]) { offset += 1 }
    }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard offset + count <= bytes.count else { return false }
        return text.withUTF8Buffer { buffer in
            for index in 0..<count where unsafe bytes[offset + index] != buffer[index] { return false }
            return true
        }
    }

    private var malformed: MarkupError { .malformed(offset) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-_:".utf8.contains(byte)
    }
}
