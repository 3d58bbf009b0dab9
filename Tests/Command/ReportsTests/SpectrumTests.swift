import Glibc
import Testing

@testable import Reports

struct SpectrumTests {
    @Test("the transform is the sum of its definition", arguments: [2, 8, 64])
    func transform(size: Int) {
        let signal = (0..<size).map { sin(Double($0 * $0)) }
        let powers = FourierTransform(size: size).powers(signal)
        for bin in 0..<size / 2 {
            let angles = (0..<size).map { -2 * Double.pi * Double(bin * $0) / Double(size) }
            let real = zip(signal, angles).reduce(0) { $0 + $1.0 * cos($1.1) }
            let imaginary = zip(signal, angles).reduce(0) { $0 + $1.0 * sin($1.1) }
            #expect(abs(powers[bin] - real * real - imaginary * imaginary) < 1e-9)
        }
    }

    /// A spectrum of sines: amplitude and frequency for each column.
    private static func spectrum(_ sines: [(Double, Double)], hertz: Double, count: Int, breaking: Int? = nil)
        -> Spectrum
    {
        var spectrum = Spectrum(columnCount: sines.count)
        for index in 0..<count {
            var values = SIMD8<Double>(repeating: .nan)
            for (column, (amplitude, frequency)) in sines.enumerated() {
                values[column] = 9.81 + amplitude * sin(2 * .pi * frequency * Double(index) / hertz)
            }
            let nanoseconds = Int64((Double(index) / hertz * 1e9).rounded())
            spectrum.add(values, at: nanoseconds, breaks: breaking.map { index % $0 == 0 } ?? false)
        }
        return spectrum
    }

    @Test("a sine is found at its frequency, and its power is that of the sine")
    func sines() throws {
        let result = try #require(Self.spectrum([(2, 17), (0.5, 80)], hertz: 400, count: 20_000).result)
        #expect(result.densities.count == 2 && result.densities[0].count == 2_048)
        #expect(abs(result.stepHertz - 400.0 / 4_096) < 1e-6)
        for (column, (amplitude, frequency)) in [(2.0, 17.0), (0.5, 80.0)].enumerated() {
            let densities = result.densities[column]
            let peak = try #require(densities.indices.max { densities[$0] < densities[$1] })
            #expect(abs(Double(peak) * result.stepHertz - frequency) < result.stepHertz)
            let power = densities.reduce(0) { $0 + $1 * $1 } * result.stepHertz
            #expect(abs(power - amplitude * amplitude / 2) < 0.01 * power)
        }
    }

    @Test("short pieces have coarse spectra, shorter ones none; uneven ones count as none")
    func pieces() throws {
        let result = try #require(Self.spectrum([(1, 20)], hertz: 100, count: 3_000, breaking: 300).result)
        #expect(result.densities[0].count == 128 && result.windows == 10)
        #expect(Self.spectrum([(1, 20)], hertz: 100, count: 3_000, breaking: 200).result == nil)
        var uneven = Spectrum(columnCount: 1)
        for index in 0..<10_000 as Range<Int64> {
            uneven.add(SIMD8(repeating: 1), at: index * 1_000_000 + (index % 100 == 0 ? 0 : 2_000_000), breaks: false)
        }
        #expect(uneven.result == nil)
    }

    @Test("windows of another rate are another spectrum; the one with the most windows is shown")
    func rates() throws {
        var spectrum = Spectrum(columnCount: 1)
        var time: Int64 = 0
        for index in 0..<9_000 {
            time += index < 3_000 ? 1_000_000 : 10_000_000
            spectrum.add(SIMD8(repeating: Double(index % 2)), at: time, breaks: index == 3_000)
        }
        let result = try #require(spectrum.result)
        #expect(abs(result.stepHertz * Double(result.densities[0].count) - 50) < 0.1)
    }
}
