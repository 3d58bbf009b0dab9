internal import CExpat
internal import Formats

/// Parses XML with expat and calls a handler; the only file that imports expat.
///
/// The document is read as UTF-8, mended by `XMLMender`, whatever encoding it states: tags and numbers are ASCII in all that are met.
/// A document type is refused, because a document's own entities can make a small file expand to a huge one. No
/// supported format needs one.
enum XMLReader {
    /// The most bytes of an unfinished token, such as an attribute's value.
    private static let longestToken = 4 << 20

    /// Parses a document; returns the handler, and the error at which the document ceased to be XML. `XML_Parse(3)`
    static func read<Handler: XMLHandler>(
        _ pieces: FileContent.Pieces, _ handler: Handler
    ) throws(FormatError) -> (handler: Handler, malformed: FormatError?) {
        guard let parser = unsafe XML_ParserCreate("UTF-8") else { throw FormatError("out of memory") }
        defer { unsafe XML_ParserFree(parser) }
        let session = XMLSession(handler)
        // The loop below keeps it alive until the end.
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(session).toOpaque())
        unsafe XMLSession.listen(parser)
        var mender = XMLMender()
        var read = 0
        while true {
            let piece = try pieces()
            let text = mender.mend(piece, isLast: piece.isEmpty)
            read += text.count
            let status = unsafe text.withUnsafeBytes { text in
                unsafe XML_Parse(
                    parser, text.bindMemory(to: CChar.self).baseAddress, Int32(clamping: text.count),
                    piece.isEmpty ? 1 : 0)
            }
            if let error = session.error { throw error }
            let isOver = piece.isEmpty || status != XML_STATUS_OK
            guard !isOver else {
                guard let handler = session.handler as? Handler else { throw FormatError("no document") }
                return (handler, status == XML_STATUS_OK ? nil : unsafe failure(parser))
            }
            let line = unsafe Int(clamping: cexpat_line(parser))
            guard unsafe read - Int(clamping: cexpat_byte(parser)) <= longestToken else {
                throw FormatError(
                    line: line, "a tag or text is longer than \(longestToken >> 20) MiB")
            }
        }
    }

    private static func failure(_ parser: XML_Parser) -> FormatError {
        let line = unsafe Int(clamping: cexpat_line(parser))
        let words = unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) } ?? "an error"
        return FormatError(line: line, "not well-formed XML: \(words)")
    }
}

/// The state of expat's callbacks.
private final class XMLSession {
    var handler: any XMLHandler
    var error: FormatError?
    private var depth = 0

    init(_ handler: any XMLHandler) { self.handler = handler }

    // expat passes back the pointer to the session, which `read` keeps alive. The parser stops at the first error.
    static func listen(_ parser: XML_Parser) {
        unsafe XML_UseParserAsHandlerArg(parser)
        unsafe XML_SetElementHandler(parser) { parser, name, attributes in
            unsafe XMLSession.withSession(parser) { session, line throws(FormatError) in
                session.depth += 1
                guard session.depth <= 64 else { throw FormatError(line: line, "elements are nested too deep") }
                try unsafe session.handler.begin(XMLSession.string(name), XMLSession.pairs(attributes), line: line)
            }
        } _: { parser, name in
            unsafe XMLSession.withSession(parser) { session, line throws(FormatError) in
                session.depth -= 1
                try unsafe session.handler.end(XMLSession.string(name), line: line)
            }
        }
        unsafe XML_SetCharacterDataHandler(parser) { parser, text, length in
            unsafe XMLSession.withSession(parser) { session, _ throws(FormatError) in
                let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(max(0, length)))
                try unsafe session.handler.text(String(decoding: bytes, as: UTF8.self))
            }
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { parser, _, _, _, _ in
            unsafe XMLSession.withSession(parser) { _, line throws(FormatError) in
                throw FormatError(line: line, "a document type (<!DOCTYPE …>) is not accepted: remove it")
            }
        }
    }

    private static func withSession(
        _ argument: UnsafeMutableRawPointer?, _ act: (XMLSession, Int) throws(FormatError) -> Void
    ) {
        guard let argument = unsafe argument else { return }
        let parser = OpaquePointer(argument)
        guard let pointer = unsafe cexpat_user_data(parser) else { return }
        let session = unsafe Unmanaged<XMLSession>.fromOpaque(pointer).takeUnretainedValue()
        guard session.error == nil else { return }
        do throws(FormatError) {
            try unsafe act(session, Int(clamping: cexpat_line(parser)))
        } catch {
            session.error = error
            unsafe XML_StopParser(parser, 0)
        }
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    private static func pairs(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String: String] {
        var pairs: [String: String] = [:]
        guard var item = unsafe list else { return pairs }
        while let name = unsafe item.pointee {
            pairs[unsafe String(cString: name)] = unsafe string(item[1])
            unsafe item += 2
        }
        return pairs
    }
}

/// Receives the contents of an XML document in order.
protocol XMLHandler {
    /// An element begins; the name is as written, with its prefix if it has one.
    mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(FormatError)
    /// Text in the current element; may come in pieces.
    mutating func text(_ text: String) throws(FormatError)
    /// The element ends.
    mutating func end(_ name: String, line: Int) throws(FormatError)
}
