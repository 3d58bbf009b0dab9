/// Which bytes are letters and digits of ASCII.
extension UInt8 {
    /// Whether it is one of `a` to `z`.
    package var isLowerCaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }

    /// Whether it is one of `a` to `z` or `A` to `Z`.
    package var isLetter: Bool { (self | 0x20).isLowerCaseLetter }

    /// Whether it is one of `0` to `9`.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether it may stand in the suffix of a resource's name, and in a label: a letter, a digit or one of `._-`.
    package var mayStandInSuffix: Bool {
        isLetter || isDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }
}
