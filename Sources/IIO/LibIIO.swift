internal import CIio
internal import Platform

// The only file that knows libiio. A context owns everything that libiio hands out, so it is the one owner here too, and
// also of the one buffer that may run in it, which must go first. Devices, channels and attributes are views into it:
// small values, to be kept beside the context and never beyond it.
//
// Codes: libiio returns -errno; here it is thrown as a SystemError that says which call on what.

/// A libiio context and, while samples flow, its buffer.
@safe struct IIOContext: ~Copyable {
    private let handle: OpaquePointer
    private var buffer: OpaquePointer?
    /// A peer that has fallen silent is not said farewell to: that would wait for its answer.
    private var isBroken = false

    /// Connects and lists the devices. `iio_create_context_from_uri`
    init(_ address: IIOAddress) throws(SystemError) {
        // A copy of our own: libiio writes into its argument.
        var uri = address.description.utf8CString
        var created: OpaquePointer?
        let code = unsafe uri.withUnsafeMutableBufferPointer { unsafe ciio_context_create($0.baseAddress, &created) }
        guard let created = unsafe created else { throw SystemError("open IIO context \(address)", code: -code) }
        unsafe handle = created
    }

    deinit {
        if let buffer = unsafe buffer { unsafe Self.destroy(buffer, isBroken) }
        unsafe iio_context_destroy(handle)
    }

    /// All devices and triggers, in libiio's order.
    var devices: [IIODevice] {
        let count = unsafe iio_context_get_devices_count(handle)
        return (0..<count).compactMap {
            unsafe iio_context_get_device(handle, $0).map { unsafe IIODevice(handle: $0) }
        }
    }

    /// How long a blocking call may wait; over the network half of it holds for the device itself. `iio_context_set_timeout`
    func setTimeout(milliseconds: UInt32) throws(SystemError) {
        try unsafe check(iio_context_set_timeout(handle, milliseconds), "set timeout")
    }

    /// Starts the flow of samples on the channels that are enabled. `iio_device_create_buffer`
    mutating func startBuffer(of device: IIODevice, _ sizing: BufferSizing) throws(SystemError) {
        stopBuffer()
        let kernelBuffers = UInt32(clamping: sizing.kernelBuffers)
        // An iiod that refuses the number keeps its own: four.
        _ = unsafe iio_device_set_kernel_buffers_count(device.handle, kernelBuffers)
        var created: OpaquePointer?
        try unsafe check(ciio_buffer_create(device.handle, sizing.samples, &created), "start buffer of \(device.id)")
        unsafe buffer = created
    }

    /// Stops the flow; nothing if there is none. `iio_buffer_destroy`
    mutating func stopBuffer() {
        guard let running = unsafe buffer else { return }
        unsafe buffer = nil
        unsafe Self.destroy(running, isBroken)
    }

    private static func destroy(_ buffer: OpaquePointer, _ isBroken: Bool) {
        if isBroken { unsafe iio_buffer_cancel(buffer) }
        unsafe iio_buffer_destroy(buffer)
    }

    /// Makes `refill` return at once, and gives the descriptor that tells when it is worth it; local contexts only.
    /// `iio_buffer_set_blocking_mode`, `iio_buffer_get_poll_fd`
    func unblockBuffer() throws(SystemError) -> Int32 {
        guard let buffer = unsafe buffer else { throw SystemError("poll buffer", code: EBADF) }
        try unsafe check(iio_buffer_set_blocking_mode(buffer, false), "unblock buffer")
        return try unsafe check(iio_buffer_get_poll_fd(buffer), "poll buffer")
    }

    /// Takes what has arrived and appends it, oldest first; returns how many samples, 0 where none are there yet.
    /// `iio_buffer_refill`
    mutating func refill(_ layout: ScanLayout, into samples: inout [RawSample]) throws(SystemError) -> Int {
        guard let buffer = unsafe buffer else { throw SystemError("read buffer", code: EBADF) }
        let result = unsafe iio_buffer_refill(buffer)
        if result == -Int(EAGAIN) { return 0 }
        isBroken = result < 0
        try check(Int32(clamping: result), "read buffer")
        guard let start = unsafe iio_buffer_start(buffer), let end = unsafe iio_buffer_end(buffer) else { return 0 }
        let step = unsafe iio_buffer_step(buffer)
        let columns = unsafe Columns(layout, buffer, start)
        guard step > 0, columns.fit(in: step) else { throw SystemError("decode buffer", code: EPROTO) }
        let count = unsafe (end - start) / step
        for index in 0..<count { samples.append(unsafe columns.sample(at: start + index * step)) }
        return count
    }
}

/// Where in a scan the wanted channels lie: libiio's answer, since what else is in the scan is not known here.
private struct Columns {
    let layout: ScanLayout
    let x: Int
    let y: Int
    let z: Int
    let stamp: Int?

    init(_ layout: ScanLayout, _ buffer: OpaquePointer, _ start: UnsafeMutableRawPointer) {
        func offset(_ column: ScanLayout.Column) -> Int {
            // Always in the buffer or at its end, which `fit` refuses.
            unsafe iio_buffer_first(buffer, column.channel.handle).map { unsafe $0 - start } ?? .max
        }
        self.layout = layout
        x = offset(layout.x)
        y = offset(layout.y)
        z = offset(layout.z)
        stamp = layout.timestamp.map(offset)
    }

    func fit(in step: Int) -> Bool {
        func fits(_ offset: Int, _ column: ScanLayout.Column) -> Bool {
            (0..<step).contains(offset) && column.format.storageBits / 8 <= step - offset
        }
        guard fits(x, layout.x), fits(y, layout.y), fits(z, layout.z) else { return false }
        guard let stamp, let column = layout.timestamp else { return true }
        return fits(stamp, column)
    }

    func sample(at scan: UnsafeMutableRawPointer) -> RawSample {
        func value(_ column: ScanLayout.Column, _ offset: Int) -> Int64 {
            column.format.value(ofWord: unsafe ciio_channel_word(column.channel.handle, scan + offset))
        }
        var sample = RawSample(x: value(layout.x, x), y: value(layout.y, y), z: value(layout.z, z), stamp: 0)
        if let stamp, let column = layout.timestamp { sample.stamp = value(column, stamp) }
        return sample
    }
}

/// A device or a trigger of a context.
@safe struct IIODevice {
    fileprivate let handle: OpaquePointer

    var id: String { unsafe text(iio_device_get_id(handle)) ?? "" }
    var name: String? { unsafe text(iio_device_get_name(handle)) }
    var label: String? { unsafe text(iio_device_get_label(handle)) }
    var isTrigger: Bool { unsafe iio_device_is_trigger(handle) }

    var channels: [IIOChannel] {
        let count = unsafe iio_device_get_channels_count(handle)
        return (0..<count).compactMap {
            unsafe iio_device_get_channel(handle, $0).map { unsafe IIOChannel(handle: $0) }
        }
    }

    /// The names of the attributes of its buffer.
    var bufferAttributes: [String] {
        let count = unsafe iio_device_get_buffer_attrs_count(handle)
        return (0..<count).compactMap { unsafe text(iio_device_get_buffer_attr(handle, $0)) }
    }

    /// The trigger that is set, nil for none; ENOENT where the device takes no triggers. `iio_device_get_trigger`
    func trigger() throws(SystemError) -> IIODevice? {
        var trigger: OpaquePointer?
        let code = unsafe iio_device_get_trigger(handle, &trigger)
        // The file of an unset trigger is empty, and libiio calls that an I/O error.
        if code == -EIO { return nil }
        try check(code, "get trigger of \(id)")
        return unsafe trigger.map { unsafe IIODevice(handle: $0) }
    }

    /// Sets the trigger, or takes it away. `iio_device_set_trigger`
    func setTrigger(_ trigger: IIODevice?) throws(SystemError) {
        try unsafe check(iio_device_set_trigger(handle, trigger?.handle), "set trigger of \(id)")
    }

    fileprivate func find(_ attribute: String) -> Bool { unsafe iio_device_find_attr(handle, attribute) != nil }
}

/// A channel of a device.
@safe struct IIOChannel {
    fileprivate let handle: OpaquePointer

    var id: String { unsafe text(iio_channel_get_id(handle)) ?? "" }
    var isInput: Bool { unsafe !iio_channel_is_output(handle) }
    var isScanElement: Bool { unsafe iio_channel_is_scan_element(handle) && iio_channel_get_index(handle) >= 0 }

    /// How its words lie in the buffer; nil where libiio could not convert them safely.
    var format: SampleFormat? {
        let format = unsafe ciio_channel_format(handle)
        return SampleFormat(
            storageBits: format.length, realBits: format.bits, shift: format.shift, isSigned: format.is_signed,
            repetitions: format.repeat)
    }

    /// False where libiio would divide by the width of its words, which is zero.
    var hasWidth: Bool {
        let format = unsafe ciio_channel_format(handle)
        return format.length >= 8 && format.repeat >= 1
    }

    /// Takes part in the next buffer. `iio_channel_enable`
    func enable() { unsafe iio_channel_enable(handle) }

    /// What the sensor says at this moment. `iio_channel_attr_read_longlong`
    func raw() throws(SystemError) -> Int64 {
        var value: CLongLong = 0
        try unsafe check(iio_channel_attr_read_longlong(handle, "raw", &value), "read raw of \(id)")
        return value
    }

    fileprivate func find(_ attribute: String) -> Bool { unsafe iio_channel_find_attr(handle, attribute) != nil }
}

/// An attribute that exists: a file in sysfs, here or at the iiod.
struct IIOAttribute {
    /// What an attribute belongs to.
    enum Owner {
        case device(IIODevice)
        case channel(IIOChannel)
        /// `enable` of a buffer is always there, but libiio does not list it.
        case buffer(IIODevice)
    }

    let name: String
    private let owner: Owner
    // A page of sysfs, and one byte to see that there is no more.
    private static let capacity = 4097

    /// The attribute, if its owner has it.
    init?(_ name: String, of owner: Owner) {
        let exists =
            switch owner {
            case .device(let device): device.find(name)
            case .channel(let channel): channel.find(name)
            case .buffer(let device): name == "enable" || device.bufferAttributes.contains(name)
            }
        guard exists else { return nil }
        self.name = name
        self.owner = owner
    }

    /// Its text, without the end of line. `iio_device_attr_read`, `iio_channel_attr_read`, `iio_device_buffer_attr_read`
    func read() throws(SystemError) -> String {
        var bytes = [CChar](repeating: 0, count: Self.capacity)
        let count =
            switch owner {
            case .device(let device): unsafe iio_device_attr_read(device.handle, name, &bytes, bytes.count)
            case .channel(let channel): unsafe iio_channel_attr_read(channel.handle, name, &bytes, bytes.count)
            case .buffer(let device): unsafe iio_device_buffer_attr_read(device.handle, name, &bytes, bytes.count)
            }
        try check(Int32(clamping: count), "read \(name)")
        let text = bytes.prefix(max(count, 0)).prefix { $0 != 0 && $0 != 10 }
        return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Sets it. `iio_device_attr_write`, `iio_channel_attr_write`, `iio_device_buffer_attr_write`
    func write(_ text: String) throws(SystemError) {
        let count =
            switch owner {
            case .device(let device): unsafe iio_device_attr_write(device.handle, name, text)
            case .channel(let channel): unsafe iio_channel_attr_write(channel.handle, name, text)
            case .buffer(let device): unsafe iio_device_buffer_attr_write(device.handle, name, text)
            }
        try check(Int32(clamping: count), "write \(text) to \(name)")
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }

/// The result if it is none of libiio's negative codes.
@discardableResult
private func check(_ code: Int32, _ call: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard code >= 0 else { throw SystemError(call(), code: -code) }
    return code
}
