import Foundation
import Glibc

/// A terminal with a test at its other end.
final class Pseudoterminal: Sendable {
    /// The device node for the reader.
    let path: String
    private let master: Int32
    private let slave: Int32

    init() throws {
        // posix_openpt(3) and the functions that go with it are not in the Glibc module; they make these two requests.
        let (getNumber, setLock) = (UInt(0x8004_5430), UInt(0x4004_5431))
        var (number, unlocked) = (Int32(0), Int32(0))
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, unsafe ioctl(master, setLock, &unlocked) == 0,
            unsafe ioctl(master, getNumber, &number) == 0
        else {
            throw Loopback.Failure(call: "open /dev/ptmx", code: errno)
        }
        path = "/dev/pts/\(number)"
        // Held open, so that the line does not hang up when gpsd opens and closes it; raw, so that nothing is echoed.
        slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var mode = termios()
        unsafe tcgetattr(slave, &mode)
        unsafe cfmakeraw(&mode)
        unsafe tcsetattr(slave, TCSANOW, &mode)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Sends each epoch at once, on a thread, at a steady pace; returns a flag that becomes true at the end.
    @discardableResult
    func play(_ epochs: [[String]], everyMilliseconds interval: Int) -> Shared<Bool> {
        let played = Shared(false)
        let thread = Thread { [self] in
            let start = Date()
            for (index, epoch) in epochs.enumerated() {
                Thread.sleep(until: start.addingTimeInterval(Double(index * interval) / 1000))
                let bytes = Array(epoch.joined().utf8)
                _ = unsafe write(master, bytes, bytes.count)
            }
            played.change { $0 = true }
        }
        thread.start()
        return played
    }
}
