import Devices
import Foundation
import Platform
import Testing

@testable import IIO

@Suite struct IIOFaultTests {
    private func fault(_ code: Int32) -> DeviceFault {
        DeviceFault(SystemError("call", code: code), device: "iio:device0", at: .local)
    }

    @Test(
        "an error code becomes a kind of fault and a message with a remedy",
        arguments: [
            (EBUSY, .busy, "stop that program"), (EACCES, .denied, "group"), (EPERM, .denied, "DeviceAllow=char-iio"),
            (EROFS, .denied, "ReadWritePaths=/sys/devices"), (ENODEV, .lost, "went away"), (EPIPE, .lost, "went away"),
            (ETIMEDOUT, .lost, "fell silent"), (EIO, .failed, "failed"),
        ] as [(Int32, DeviceFault.Kind, String)])
    func words(code: Int32, kind: DeviceFault.Kind, words: String) {
        #expect(fault(code).kind == kind)
        #expect(fault(code).description.contains("iio:device0 at local:"))
        #expect(fault(code).description.contains(words))
        #expect(fault(code).cause?.code == code)
    }

    @Test("a host that nobody knows: the user learns how to look")
    func unknownHost() throws {
        let address = try #require(IIOAddress("ip:sensors.invalid"))
        let fault = #expect(throws: DeviceFault.self) { try address.resolved() }
        #expect(fault?.kind == .missing)
        #expect(fault?.description.contains("no iiod answers at ip:sensors.invalid: ") == true)
        #expect(fault?.description.contains("try 'getent hosts sensors.invalid'") == true)
    }

    @Test("what a driver does not implement is absent; what could not be read is there, and names what takes its place")
    func unread() {
        for code in [ENOENT, EINVAL, ENOSYS, EOPNOTSUPP] { #expect(SystemError("", code: code).meansAbsent) }
        for code in [EIO, ENXIO, EREMOTEIO, EACCES, EAGAIN, ENODATA, ENODEV] {
            #expect(!SystemError("", code: code).meansAbsent)
        }
        let error = SystemError("read offset of temp", code: EIO)
        let fault = DeviceFault(unread: error, device: "iio:device0", at: .local, setting: "set it")
        #expect(fault.kind == .failed && fault.cause == error)
        #expect(fault.description.contains("read offset of temp: "))
        #expect(fault.description.hasSuffix("; if that lasts, set it"))
        let refusal = SystemError("", code: EACCES)
        let denied = DeviceFault(unread: refusal, device: "iio:device0", at: .local, setting: "set it")
        #expect(denied.kind == .denied && !denied.description.contains("set it"))
    }

    @Test("a time-out or a broken pipe ends the context, a refusal does not")
    func ends() {
        for code in [EPIPE, ETIMEDOUT, ECONNRESET, EBADF, ENODEV] { #expect(SystemError("", code: code).endsContext) }
        for code in [EINVAL, EIO, EACCES, EBUSY, ENOENT] { #expect(!SystemError("", code: code).endsContext) }
    }
}
