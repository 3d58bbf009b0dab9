import Platform
import Testing

@Suite struct SplitMix64Tests {
    @Test("it gives the numbers of the published algorithm")
    func reference() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<3).map { _ in generator.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test("a number by index is the number of the sequence")
    func index() {
        var generator = SplitMix64(seed: 42)
        for index: UInt64 in 0..<10 { #expect(SplitMix64.number(at: index, seed: 42) == generator.next()) }
    }
}
