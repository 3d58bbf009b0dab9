import Admission
import Delivery
import Devices
import Readings
import Testing

@testable import Devices
@testable import Service

@Suite("Released devices") struct DeviceReleasesTests {
    private let releases = DeviceReleases()
    private let start = BootTime(nanoseconds: 1_000_000_000)
    private let caller = ConnectionToken(slot: 3, generation: 1)

    private func resource(_ name: ResourceName, _ kind: Kind, at index: ResourceIndex) throws -> ServedResource {
        let device = ServedDevice(try DeviceChannel(), isSimulated: true)
        return ServedResource(Resource(name: name, kind: kind), at: index, of: device)
    }

    @Test("follow each command once, and are reacquired with all their resources")
    func follow() throws {
        let accelerometer = try resource(.accelerometer, .acceleration, at: 0)
        let location = try resource(.location, .location, at: 1)
        let devices = [accelerometer.device, location.device]
        releases.release(.kind(.acceleration), until: nil, among: devices)
        #expect(releases.apply(to: devices).map(\.isReleased) == [true])
        #expect(releases.apply(to: devices).isEmpty)
        #expect(accelerometer.device.isReleased && !location.device.isReleased)
        #expect(releases.deadline == nil)
        releases.reacquire(.all, among: devices)
        #expect(releases.apply(to: devices).map(\.isReleased) == [false])
        #expect(releases.words == Releases())
    }

    @Test("are reacquired by themselves when their time is over")
    func expire() throws {
        let accelerometer = try resource(.accelerometer, .acceleration, at: 0)
        releases.release(.all, until: start + 5, among: [accelerometer.device])
        #expect(releases.deadline == start + 5)
        #expect(!releases.expire(start + 4))
        #expect(releases.expire(start + 5))
        #expect(releases.deadline == nil)
        #expect(releases.apply(to: [accelerometer.device]).isEmpty)
    }

    @Test("make the call wait until they are closed, reacquired, or its time is over, and report those that hang")
    func waiting() throws {
        let accelerometer = try resource(.accelerometer, .acceleration, at: 0)
        let devices = [accelerometer.device]
        releases.release(.all, until: nil, among: devices)
        _ = releases.apply(to: devices)
        releases.wait(caller, for: [accelerometer], until: start + 5)
        #expect(releases.deadline == start + 5)
        #expect(releases.takeAnswers(start).isEmpty)
        // No thread follows the channel, as if it hung.
        let late = releases.takeAnswers(start + 5)
        #expect(late.map(\.connection) == [caller])
        #expect(late.map(\.hanging) == [[.accelerometer]] && late.map(\.released) == [[]])
        #expect(releases.deadline == nil)

        releases.wait(caller, for: [accelerometer], until: start + 5)
        releases.reacquire(.all, among: devices)
        _ = releases.apply(to: devices)
        #expect(releases.takeAnswers(start).map(\.hanging) == [[]])

        releases.wait(caller, for: [accelerometer], until: start + 5)
        releases.drop(caller)
        #expect(releases.takeAnswers(start + 9).isEmpty && releases.deadline == nil)
    }

    @Test("are reported as released, at whatever instant their threads close them")
    func anyInstant() async throws {
        let accelerometer = try resource(.accelerometer, .acceleration, at: 0)
        let (devices, channel) = ([accelerometer.device], accelerometer.device.channel)
        let rounds = 1...10_000
        async let thread: Void = Task.detached {
            for round in rounds {
                while !channel.takeCommands(isSignalled: false).isReleased || channel.isLetGo { await Task.yield() }
                channel.confirmRelease(round)
            }
        }.value
        for _ in rounds {
            releases.release(.all, until: nil, among: devices)
            _ = releases.apply(to: devices)
            releases.wait(caller, for: [accelerometer], until: start + 5)
            var answers: [DeviceReleases.Answer] = []
            while answers.isEmpty {
                // Again and again without a pause, so that the thread closes it in the middle of a look.
                for _ in 0..<100 where answers.isEmpty { answers = releases.takeAnswers(start) }
                await Task.yield()
            }
            #expect(answers.map(\.released) == [[.accelerometer]])
            releases.reacquire(.all, among: devices)
            _ = releases.apply(to: devices)
        }
        await thread
    }

    @Test("are released as a whole, whichever of their resources is named")
    func several() throws {
        let accelerometer = try resource(.accelerometer, .acceleration, at: 0)
        let other = try #require(ResourceName("gyroscope"))
        _ = ServedResource(Resource(name: other, kind: .orientation), at: 1, of: accelerometer.device)
        let devices = [accelerometer.device]
        #expect(DeviceReleases.indices(in: .resource(other), among: devices) == [0, 1])
        releases.release(.resource(.accelerometer), until: nil, among: devices)
        _ = releases.apply(to: devices)
        releases.reacquire(.resource(other), among: devices)
        #expect(releases.apply(to: devices).map(\.isReleased) == [false])
    }
}
