import Testing

@testable import IIO

@Suite("Backlog watch")
struct BacklogWatchTests {
    /// The places of the reads at these instants that take all there is.
    private func greedy(at instants: [Int64], refillNanoseconds refill: Int64 = 1_000) -> [Int] {
        var watch = BacklogWatch()
        return instants.indices.filter { watch.read(at: instants[$0], refillNanoseconds: refill) }
    }

    /// The same of so many reads, each of which comes this long after the one before.
    private func greedy(_ count: Int64, everyNanoseconds pause: Int64) -> [Int] {
        greedy(at: (1...count).map { $0 * pause })
    }

    @Test("The first read takes all there is")
    func start() { #expect(greedy(at: [1_000]) == [0]) }

    @Test("Reads that keep up with the device take one refill each")
    func keepingUp() { #expect(greedy(1_000, everyNanoseconds: 1_000) == [0]) }

    @Test("Reads of a device that is faster than its pace take one refill each: the descriptor shows the rest")
    func fasterDevice() { #expect(greedy(1_000, everyNanoseconds: 100) == [0]) }

    @Test("A read that is half a refill late takes all there is, and the next one does not")
    func late() {
        #expect(greedy(at: [1_000, 2_499, 3_500, 4_000, 5_000, 6_500, 7_500]) == [0, 2, 5])
    }

    @Test(
        "Reads that fall behind slowly take all there is every few times",
        arguments: [1_010, 1_100, 1_200, 1_499] as [Int64])
    func fallingBehind(pause: Int64) {
        let places = greedy(1_000, everyNanoseconds: pause)
        let most = 500 / (pause - 1_000) + 1
        #expect(zip(places, places.dropFirst()).allSatisfy { Int64($1 - $0) <= most })
        #expect(999 - Int64(places.last ?? 0) <= most)
    }

    @Test("A pace that changes holds from the next read on")
    func change() {
        var watch = BacklogWatch()
        _ = watch.read(at: 1_000_000, refillNanoseconds: 1_000_000)
        let isGreedy = [1_000_100, 1_000_200, 1_000_350].map { watch.read(at: $0, refillNanoseconds: 100) }
        #expect(isGreedy == [false, false, true])
    }
}
