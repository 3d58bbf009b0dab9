/// Why a value cannot be set, and what can.
struct SettingRefusal: Error, Equatable {
    let words: String

    init(_ words: String) { self.words = words }
}
