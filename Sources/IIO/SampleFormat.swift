/// How one channel's word lies in a scan: checked, because libiio takes what sysfs or an iiod says and computes with it.
struct SampleFormat: Equatable {
    /// Bits in the buffer: 8, 16, 32 or 64.
    let storageBits: Int
    let isSigned: Bool

    /// The format, if libiio can convert it into 64 bits without leaving them; nil otherwise.
    init?(storageBits: UInt32, realBits: UInt32, shift: UInt32, isSigned: Bool, repetitions: UInt32) {
        guard [8, 16, 32, 64].contains(storageBits), repetitions == 1, (1...storageBits).contains(realBits),
            shift <= storageBits - realBits
        else { return nil }
        self.storageBits = Int(storageBits)
        self.isSigned = isSigned
    }

    /// The number in a word whose upper bits are not set: libiio extends the sign to the storage only.
    func value(ofWord word: Int64) -> Int64 {
        let unused = Int64(64 - storageBits)
        return isSigned ? (word << unused) >> unused : word
    }
}
