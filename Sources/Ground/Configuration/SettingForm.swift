/// How the values of a setting are written: what parses them, and what pages state of them.
public struct SettingForm<Value: Sendable>: Sendable {
    /// Which values there are, for people; literals are in backticks.
    public let words: String
    let text: @Sendable (Value) -> String
    /// Reads a value; throws with a remedy.
    public let parse: @Sendable (String) throws(SettingRefusal) -> Value

    /// A form with its words for people, how a value is written, and how it is read.
    public init(
        _ words: String, text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(SettingRefusal) -> Value
    ) {
        self.words = words
        self.text = text
        self.parse = parse
    }
}

extension SettingForm<TimeSpan> {
    /// Time spans in a range, and infinite ones if that makes sense; `reason`: why there are no others.
    public static func span(
        from least: Int64, to most: Int64? = nil, endless: Bool = false, reason: String? = nil
    ) -> Self {
        let (first, last) = (TimeSpan(nanoseconds: least), most.map { TimeSpan(nanoseconds: $0) })
        let range = last.map { "`\(first)` to `\($0)`" } ?? (least > 0 ? "at least `\(first)`" : "any time")
        let words = range + (endless ? ", or `infinity`" : last == nil ? ", but finite" : "")
        return Self(words, text: \.description) { (text) throws(SettingRefusal) in
            let span: TimeSpan
            do throws(TimeSpanError) { span = try TimeSpan(parsing: text) } catch {
                throw SettingRefusal("\(error)\(endless ? ", or infinity" : "")")
            }
            let isPossible = span == .infinity ? endless : (least...(most ?? .max)).contains(span.nanoseconds)
            guard isPossible else {
                let remedy = words.filter { $0 != "`" }
                throw SettingRefusal("this is out of range; write \(remedy)\(reason.map { ": \($0)" } ?? "")")
            }
            return span
        }
    }
}

extension SettingForm<Int> {
    /// Whole numbers in a range.
    public static func number(in range: ClosedRange<Int>) -> Self {
        Self("`\(range.lowerBound)` to `\(range.upperBound)`", text: \.description) { (text) throws(SettingRefusal) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingRefusal("write a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}

extension SettingForm<Bool> {
    /// Yes or no, as systemd has them. systemd.syntax(7)
    public static var yesOrNo: Self {
        Self("`yes` or `no`", text: { $0 ? "yes" : "no" }) { (text) throws(SettingRefusal) in
            switch text.lowercased() {
            case "yes", "true", "on", "1": return true
            case "no", "false", "off", "0": return false
            default: throw SettingRefusal("write yes or no")
            }
        }
    }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of some words.
    public static var oneOf: Self {
        let names = Value.allCases.map(\.rawValue)
        return Self(names.map { "`\($0)`" }.joined(separator: " or "), text: \.rawValue) {
            (text) throws(SettingRefusal) in
            guard let value = Value(rawValue: text) else {
                throw SettingRefusal("write \(names.joined(separator: " or "))")
            }
            return value
        }
    }
}
