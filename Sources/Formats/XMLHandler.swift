/// Who is told what stands in an XML document, in order.
protocol XMLHandler {
    /// An element begins; its name is as it is written, with a prefix if it has one.
    mutating func begin(_ name: String, _ attributes: [String: String], line: Int) throws(FormatError)
    /// Text of the element that began last; may come in pieces.
    mutating func text(_ text: String) throws(FormatError)
    /// The element ends.
    mutating func end(_ name: String, line: Int) throws(FormatError)
}
