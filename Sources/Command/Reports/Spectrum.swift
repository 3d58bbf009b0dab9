internal import Glibc

/// How a signal's power is spread over frequencies; by Welch's method: the mean of the spectra of overlapping windows.
///
/// Written here, because what it needs of a library is fifty lines; FFTW is under the GPL, and larger than this program.
struct Spectrum {
    /// The sizes of windows, coarse to fine; the finest one that has a few windows is shown.
    static let sizes = [256, 1_024, 4_096]
    /// Windows from which a mean is worth showing.
    private static let fewWindows = 3

    private var welches: [Welch]

    init(columnCount: Int) { welches = Self.sizes.map { Welch(size: $0, columnCount: columnCount) } }

    mutating func add(_ values: SIMD8<Double>, at time: Int64, breaks: Bool) {
        for index in welches.indices { welches[index].add(values, at: time, breaks: breaks) }
    }

    /// The spectra of all columns, in the unit of the values per √Hz; nil if no window was full and even.
    var result: (stepHertz: Double, windows: Int, densities: [[Double]])? {
        let best = welches.last { $0.windows >= Self.fewWindows } ?? welches.last { $0.windows > 0 }
        return best.flatMap { $0.result }
    }
}

/// The mean spectrum of windows of one size.
struct Welch {
    /// Windows whose rate differs by more than this share belong to another rate.
    private static let tolerance = 0.05
    /// How far the longest spacing of a window may be from its mean.
    private static let unevenness = 1.5

    /// The windows of one rate.
    private struct Rate {
        var seconds = 0.0
        var windows = 0
        var powers: [[Double]]
    }

    private let size: Int
    private let columnCount: Int
    private let transform: FourierTransform
    private let window: [Double]
    private var times: [Int64] = []
    private var columns: [[Double]]
    private var rates: [Rate] = []

    init(size: Int, columnCount: Int) {
        self.size = size
        self.columnCount = columnCount
        transform = FourierTransform(size: size)
        window = (0..<size).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(size)) }
        columns = Array(repeating: [], count: columnCount)
    }

    /// The windows of the rate that has the most.
    var windows: Int { rates.map(\.windows).max() ?? 0 }

    mutating func add(_ values: SIMD8<Double>, at time: Int64, breaks: Bool) {
        if breaks { drop(times.count) }
        times.append(time)
        for column in 0..<columnCount { columns[column].append(values[column]) }
        guard times.count == size else { return }
        take()
        // Half of a window is in the next one too.
        drop(size / 2)
    }

    /// The mean spectra at the rate with the most windows.
    var result: (stepHertz: Double, windows: Int, densities: [[Double]])? {
        guard let rate = rates.max(by: { $0.windows < $1.windows }), rate.windows > 0 else { return nil }
        let hertz = Double(rate.windows) * Double(size - 1) / rate.seconds
        // One-sided, and without what the window takes away.
        let scale = 2 / (hertz * window.reduce(0) { $0 + $1 * $1 } * Double(rate.windows))
        return (
            hertz / Double(size), rate.windows, rate.powers.map { $0.map { ($0 * scale).squareRoot() } }
        )
    }

    private mutating func drop(_ count: Int) {
        times.removeFirst(count)
        for column in columns.indices { columns[column].removeFirst(count) }
    }

    private mutating func take() {
        let seconds = Double(times[size - 1] - times[0]) / 1e9
        let mean = seconds / Double(size - 1)
        let longest = zip(times, times.dropFirst()).reduce(0) { max($0, Double($1.1 - $1.0) / 1e9) }
        guard longest <= mean * Self.unevenness, columns.allSatisfy({ $0.allSatisfy(\.isFinite) }) else { return }
        let known = rates.firstIndex { abs($0.seconds / Double($0.windows) / seconds - 1) < Self.tolerance }
        if known == nil {
            guard rates.count < 8 else { return }
            rates.append(Rate(powers: Array(repeating: Array(repeating: 0, count: size / 2), count: columnCount)))
        }
        let index = known ?? rates.count - 1
        rates[index].seconds += seconds
        rates[index].windows += 1
        for column in 0..<columnCount {
            let middle = columns[column].reduce(0, +) / Double(size)
            let powers = transform.powers(zip(columns[column], window).map { ($0 - middle) * $1 })
            for bin in powers.indices { rates[index].powers[column][bin] += powers[bin] }
        }
    }
}

/// The discrete Fourier transform of so many real numbers, a power of two.
struct FourierTransform {
    private let size: Int
    private let cosines: [Double]
    private let sines: [Double]

    init(size: Int) {
        precondition(size > 1 && size & (size - 1) == 0)
        self.size = size
        let angles: [Double] = (0..<size / 2).map { -2 * .pi * Double($0) / Double(size) }
        cosines = angles.map { cos($0) }
        sines = angles.map { sin($0) }
    }

    /// The squares of the amplitudes at the frequencies below half of the rate.
    func powers(_ signal: [Double]) -> [Double] {
        var real: [Double] = (0..<size).map { signal[reversed($0)] }
        var imaginary = [Double](repeating: 0, count: size)
        var length = 2
        while length <= size {
            let (half, step) = (length / 2, size / length)
            for start in stride(from: 0, to: size, by: length) {
                for offset in 0..<half {
                    let (even, odd) = (start + offset, start + offset + half)
                    let (cosine, sine) = (cosines[offset * step], sines[offset * step])
                    let turnedReal: Double = real[odd] * cosine - imaginary[odd] * sine
                    let turnedImaginary: Double = real[odd] * sine + imaginary[odd] * cosine
                    real[odd] = real[even] - turnedReal
                    imaginary[odd] = imaginary[even] - turnedImaginary
                    real[even] += turnedReal
                    imaginary[even] += turnedImaginary
                }
            }
            length *= 2
        }
        return zip(real, imaginary).prefix(size / 2).map { (real: Double, imaginary: Double) in
            real * real + imaginary * imaginary
        }
    }

    private func reversed(_ index: Int) -> Int {
        var (rest, result, bit) = (index, 0, size / 2)
        while bit > 0 {
            if rest & 1 == 1 { result |= bit }
            rest >>= 1
            bit >>= 1
        }
        return result
    }
}
