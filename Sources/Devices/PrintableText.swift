/// Words of a sensor or a program, which may say what they like, made fit for a terminal: short, and without control
/// characters.
public func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(64).map { scalar -> Unicode.Scalar in
        scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
}
