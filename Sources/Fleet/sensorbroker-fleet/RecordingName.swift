/// The names of a host's files.
extension RecordingPath {
    /// The endings of what came in order, and of what came too late for that.
    static let ending = ".ndjson"
    static let lateEnding = ".late.ndjson"

    /// The name of a host's files without their endings, another one for each host; nil if it is too long for the file system.
    ///
    /// What does not belong into names is written as `%` and two digits, and so is the dot of a name that ends like that of
    /// another host's late recording. A name that becomes too long is written in base 32 instead, behind `%_`.
    static func name(of host: String, atMost most: Int = 255) -> String? {
        let room = most - lateEnding.utf8.count
        let escaped = escaped(host)
        if !escaped.isEmpty, escaped.utf8.count <= room { return escaped }
        let short = "%_" + base32(host)
        return host.isEmpty || short.utf8.count > room ? nil : short
    }

    private static func base32(_ text: String) -> String {
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var (bits, count) = (0, 0)
        var name: [UInt8] = []
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 5 {
                count -= 5
                name.append(digits[bits >> count & 31])
            }
            bits &= 31
        }
        if count > 0 { name.append(digits[bits << (5 - count) & 31]) }
        return String(decoding: name, as: UTF8.self)
    }

    private static func escaped(_ host: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let dot = UInt8(ascii: ".")
        let lateDot = host.utf8.suffix(5).elementsEqual(".late".utf8) ? host.utf8.count - 5 : nil
        var name: [UInt8] = []
        for (index, byte) in host.utf8.enumerated() {
            if plain.contains(byte), !(byte == dot && (index == 0 || index == lateDot)) {
                name.append(byte)
            } else {
                name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}
