import Testing

@testable import Delivery

@Suite("The devices that have changed") struct ChangedDevicesTests {
    private let list = ChangedDevices()

    private func marks(_ count: Int) -> [ChangeMark] {
        (0..<count).map { place in
            let mark = ChangeMark()
            mark.belong(to: list, at: place)
            return mark
        }
    }

    /// Takes all, and has each forget its change.
    private func take(_ marks: [ChangeMark]) -> [Int] {
        list.take().map { place in
            marks[place].clear()
            return place
        }.sorted()
    }

    @Test("are all at first, and then those that changed since they were taken, each once")
    func changes() {
        let marks = marks(4)
        #expect(take(marks) == [0, 1, 2, 3])
        #expect(take(marks).isEmpty)
        for place in [2, 0, 2] { marks[place].set() }
        #expect(list.places.sorted() == [0, 2], "to look at the places takes nothing")
        #expect(take(marks) == [0, 2])
    }

    @Test("are taken the next time if they change while they are taken")
    func meanwhile() {
        let marks = marks(3)
        for place in list.take() {
            marks[place].clear()
            if place == 1 { marks[1].set() }
        }
        #expect(take(marks) == [1])
    }

    @Test("are not those that belong to the list no more, and have the places that they were given last")
    func places() {
        let marks = marks(3)
        _ = list.take()
        marks[0].belong(to: nil, at: 0)
        marks[1].belong(to: list, at: 0)
        marks[2].belong(to: list, at: 1)
        marks[0].set()
        #expect(list.places.sorted() == [0, 1])
    }
}
