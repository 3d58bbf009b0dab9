import Admission
import Delivery
import Devices
import Readings
import Testing

@testable import Devices
@testable import Service

@Suite("Released devices") struct DeviceReleasesTests {
    private let catalog = Catalog()
    private let releases: DeviceReleases
    private let start = BootTime(nanoseconds: 1_000_000_000)
    private let caller = ConnectionToken(slot: 3, generation: 1)

    init() { releases = DeviceReleases(catalog) }

    /// Serves a resource of a device of its own.
    private func serve(_ name: ResourceName, _ kind: Kind) throws -> ServedDevice {
        let device = ServedDevice(try DeviceChannel(), isSimulated: true)
        catalog.add(device)
        add(name, kind, to: device)
        return device
    }

    private func add(_ name: ResourceName, _ kind: Kind, to device: ServedDevice) {
        let resource = OwnedResource(Resource(name: name, kind: kind), at: catalog.nextIndex)
        device.core.adopt(resource)
        catalog.add(resource, of: device)
    }

    @Test("follow each command once, and are reacquired with all their resources")
    func follow() throws {
        let accelerometer = try serve(.accelerometer, .acceleration)
        let location = try serve(.location, .location)
        releases.release(.kind(.acceleration), until: nil)
        #expect(releases.apply().map(\.isReleased) == [true])
        #expect(releases.apply().isEmpty)
        #expect(accelerometer.isReleased && !location.isReleased)
        #expect(releases.deadline == nil)
        releases.reacquire(.all)
        #expect(releases.apply().map(\.isReleased) == [false])
        #expect(releases.orders == Releases())
    }

    @Test("are reacquired by themselves when their time is over")
    func expire() throws {
        _ = try serve(.accelerometer, .acceleration)
        releases.release(.all, until: start + 5)
        #expect(releases.deadline == start + 5)
        #expect(!releases.expire(start + 4))
        #expect(releases.expire(start + 5))
        #expect(releases.deadline == nil)
        #expect(releases.apply().isEmpty)
    }

    @Test("make the call wait until they are closed, reacquired, or its time is over, and report those that hang")
    func waiting() throws {
        _ = try serve(.accelerometer, .acceleration)
        releases.release(.all, until: nil)
        _ = releases.apply()
        releases.wait(caller, for: [0], until: start + 5)
        #expect(releases.deadline == start + 5)
        #expect(releases.takeAnswers(start).isEmpty)
        // No thread follows the channel, as if it hung.
        let late = releases.takeAnswers(start + 5)
        #expect(late.map(\.connection) == [caller])
        #expect(late.map(\.hanging) == [[.accelerometer]] && late.map(\.released) == [[]])
        #expect(releases.deadline == nil)

        releases.wait(caller, for: [0], until: start + 5)
        releases.reacquire(.all)
        _ = releases.apply()
        #expect(releases.takeAnswers(start).map(\.hanging) == [[]])

        releases.wait(caller, for: [0], until: start + 5)
        releases.drop(caller)
        #expect(releases.takeAnswers(start + 9).isEmpty && releases.deadline == nil)
    }

    @Test("that nobody has open since a restart are released at once")
    func absent() throws {
        let awaited = ServedDevice(try DeviceChannel(), from: .awaited, isSimulated: false)
        catalog.add(awaited)
        add(.accelerometer, .acceleration, to: awaited)
        releases.release(.all, until: nil)
        _ = releases.apply()
        releases.wait(caller, for: [0], absent: [.location], until: start + 5)
        #expect(releases.waiting(caller) == [.location, .accelerometer])
        let answers = releases.takeAnswers(start)
        #expect(answers.map(\.released) == [[.location, .accelerometer]] && answers.map(\.hanging) == [[]])
        #expect(releases.waiting(caller) == nil)
    }

    @Test("are reported as released, at whatever instant their threads close them")
    func anyInstant() async throws {
        let channel = try serve(.accelerometer, .acceleration).channel
        let rounds = 1...3_000
        async let thread: Void = Task.detached {
            for round in rounds {
                while !channel.commands.isReleased || channel.isLetGo { await Task.yield() }
                channel.confirmRelease(round)
            }
        }.value
        for _ in rounds {
            releases.release(.all, until: nil)
            _ = releases.apply()
            releases.wait(caller, for: [0], until: start + 5)
            var answers: [DeviceReleases.Answer] = []
            while answers.isEmpty {
                // Again and again without a pause, so that the thread closes it in the middle of a look.
                for _ in 0..<100 where answers.isEmpty { answers = releases.takeAnswers(start) }
                await Task.yield()
            }
            #expect(answers.map(\.released) == [[.accelerometer]])
            releases.reacquire(.all)
            _ = releases.apply()
        }
        await thread
    }

    @Test("are released as a whole, whichever of their resources is named")
    func several() throws {
        let device = try serve(.accelerometer, .acceleration)
        let other = try #require(ResourceName("gyroscope"))
        add(other, .orientation, to: device)
        #expect(releases.indices(in: .resource(other)) == [0, 1])
        releases.release(.resource(.accelerometer), until: nil)
        _ = releases.apply()
        releases.reacquire(.resource(other))
        #expect(releases.apply().map(\.isReleased) == [false])
    }
}
