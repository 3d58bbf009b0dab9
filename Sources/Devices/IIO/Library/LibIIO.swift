internal import CIio
internal import Platform

// The only file that knows libiio, which reads this host's devices; `ReplyReader` has the reasons why it never reads
// another host's. A context owns everything that libiio hands out, so it is the only owner here too. It also owns the
// one buffer that may run in it, which must be destroyed first.
//
// libiio returns -errno; here it is thrown as a SystemError that names the call and its object.

/// A libiio context of this host and, while samples flow, its buffer.
@safe struct LibraryContext: ~Copyable {
    private let handle: OpaquePointer
    private var buffer: OpaquePointer?
    /// Where the channels lie in the scans of the buffer, once one has been started.
    private var columns: Columns?

    /// Lists the devices. `iio_create_context_from_uri`
    init() throws(SystemError) {
        // A copy of our own: libiio writes into its argument.
        var uri = "local:".utf8CString
        var created: OpaquePointer?
        let code = unsafe uri.withUnsafeMutableBufferPointer { unsafe ciio_context_create($0.baseAddress, &created) }
        guard let created = unsafe created else { throw SystemError("open IIO context local:", code: -code) }
        unsafe self.init(owning: created)
    }

    private init(owning handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit {
        if let buffer = unsafe buffer { unsafe iio_buffer_destroy(buffer) }
        unsafe iio_context_destroy(handle)
    }

    /// All devices and triggers, in libiio's order.
    var devices: [IIODevice] {
        let count = unsafe iio_context_get_devices_count(handle)
        return (0..<count).compactMap {
            unsafe iio_context_get_device(handle, $0).map { unsafe LibraryDevice(handle: $0).view }
        }
    }

    /// Starts capturing the channels of a layout. `iio_channel_enable`, `iio_device_create_buffer`
    mutating func startBuffer(
        of device: LibraryDevice, _ layout: ScanLayout, _ sizing: BufferSizing
    ) throws(SystemError) {
        stopBuffer()
        for column in layout.columns {
            if let channel = unsafe column.handle { unsafe iio_channel_enable(channel) }
        }
        let kernelBuffers = UInt32(clamping: sizing.kernelBuffers)
        // A kernel that refuses the number uses its default: four.
        _ = unsafe iio_device_set_kernel_buffers_count(device.handle, kernelBuffers)
        var created: OpaquePointer?
        try unsafe check(ciio_buffer_create(device.handle, sizing.samples, &created), "start buffer of \(device.id)")
        unsafe buffer = created
    }

    private mutating func stopBuffer() {
        guard let running = unsafe buffer else { return }
        unsafe buffer = nil
        columns = nil
        unsafe iio_buffer_destroy(running)
    }

    /// Makes `refill` return at once; returns the descriptor that shows when a refill is worthwhile.
    /// `iio_buffer_set_blocking_mode`, `iio_buffer_get_poll_fd`
    func unblockBuffer() throws(SystemError) -> Int32 {
        guard let buffer = unsafe buffer else { throw SystemError("poll buffer", code: EBADF) }
        try unsafe check(iio_buffer_set_blocking_mode(buffer, false), "unblock buffer")
        return try unsafe check(iio_buffer_get_poll_fd(buffer), "poll buffer")
    }

    /// Appends the scans that have arrived, oldest first, and returns how many; 0 if there are none yet.
    /// `iio_buffer_refill`
    mutating func refill(_ layout: ScanLayout, into scans: inout RawScans) throws(SystemError) -> Int {
        guard let buffer = unsafe buffer else { throw SystemError("read buffer", code: EBADF) }
        let result = unsafe iio_buffer_refill(buffer)
        if result == -Int(EAGAIN) { return 0 }
        try check(Int32(clamping: result), "read buffer")
        guard let start = unsafe iio_buffer_start(buffer), let end = unsafe iio_buffer_end(buffer) else { return 0 }
        let step = unsafe iio_buffer_step(buffer)
        if columns?.step != step { columns = unsafe Columns(layout, buffer, start, step: step) }
        guard step > 0, let columns else { throw SystemError("decode buffer", code: EPROTO) }
        let count = unsafe (end - start) / step
        unsafe columns.read(start, count: count, into: &scans)
        return count
    }
}

/// Where the wanted channels lie in a scan, as libiio has it: which other channels the scan has is not known here.
private struct Columns {
    /// The bytes of a scan.
    let step: Int
    /// One for each kind: one column, or three.
    private let groups: [[Column]]
    private let stamp: Column?

    /// nil if a channel does not lie within a scan of `step` bytes.
    init?(_ layout: ScanLayout, _ buffer: OpaquePointer, _ start: UnsafeMutableRawPointer, step: Int) {
        func column(_ column: ScanLayout.Column) -> Column? {
            guard let channel = unsafe column.handle, let first = unsafe iio_buffer_first(buffer, channel) else {
                return nil
            }
            // Always in the buffer or at its end, which is beyond the first scan.
            let offset = unsafe first - start
            let bytes = column.format.storageBits / 8 * column.format.repetitions
            guard (0..<step).contains(offset), bytes <= step - offset else { return nil }
            return unsafe Column(handle: channel, format: column.format, offset: offset)
        }
        var groups: [[Column]] = []
        for group in layout.groups {
            let columns = group.columns.compactMap(column)
            guard columns.count == group.columns.count, (1...3).contains(columns.count) else { return nil }
            groups.append(columns)
        }
        let stamp = layout.timestamp.map(column)
        if case .some(nil) = stamp { return nil }
        self.step = step
        self.groups = groups
        self.stamp = stamp ?? nil
    }

    /// Reads scans that lie one after the other.
    @unsafe func read(_ start: UnsafeMutableRawPointer, count: Int, into scans: inout RawScans) {
        let scanStarts = unsafe (0..<count).map { unsafe start + $0 * step }
        unsafe scans.append(stamps: scanStarts.map { unsafe stamp?.value(at: $0) ?? 0 })
        for (group, columns) in groups.enumerated() {
            let axes = columns.flatMap { unsafe $0.numbers(at: scanStarts) }
            for (axis, numbers) in axes.enumerated() { scans.append(numbers, along: axis, of: group) }
        }
    }
}

/// One channel in a scan.
@safe private struct Column {
    let handle: OpaquePointer
    let format: SampleFormat
    let offset: Int

    @unsafe func value(at scan: UnsafeMutableRawPointer) -> Int64 {
        format.value(ofWord: unsafe ciio_channel_word(handle, scan + offset))
    }

    /// Its numbers in these scans, in an array for each of its repetitions.
    @unsafe func numbers(at scanStarts: [UnsafeMutableRawPointer]) -> [[Int64]] {
        guard format.repetitions > 1 else { return unsafe [scanStarts.map { unsafe value(at: $0) }] }
        let all = unsafe scanStarts.map { unsafe values(at: $0) }
        return (0..<format.repetitions).map { axis in all.map { $0[axis] } }
    }

    /// The numbers of a channel that repeats.
    ///
    /// libiio converts them word by word, and keeps their width.
    @unsafe func values(at scan: UnsafeMutableRawPointer) -> RawScans.Numbers {
        var packed = RawScans.Numbers.zero
        unsafe ciio_channel_words(handle, &packed, scan + offset)
        var numbers = RawScans.Numbers.zero
        let bytes = format.storageBits / 8
        unsafe withUnsafeBytes(of: packed) { words in
            for index in 0..<format.repetitions {
                var word = Int64(0)
                unsafe withUnsafeMutableBytes(of: &word) {
                    unsafe $0.copyMemory(from: .init(rebasing: words[index * bytes..<(index + 1) * bytes]))
                }
                numbers[index] = format.value(ofWord: word)
            }
        }
        return numbers
    }
}

/// A device or trigger of this host.
@safe struct LibraryDevice: DeviceCalls {
    fileprivate let handle: OpaquePointer

    fileprivate var id: String { unsafe text(iio_device_get_id(handle)) ?? "" }

    /// Its description.
    fileprivate var view: IIODevice {
        let channels = unsafe (0..<iio_device_get_channels_count(handle)).compactMap {
            unsafe iio_device_get_channel(handle, $0).map { unsafe LibraryChannel(handle: $0).view }
        }
        let attributes = unsafe (0..<iio_device_get_attrs_count(handle)).compactMap {
            unsafe text(iio_device_get_attr(handle, $0))
        }
        let bufferAttributes = unsafe (0..<iio_device_get_buffer_attrs_count(handle)).compactMap {
            unsafe text(iio_device_get_buffer_attr(handle, $0))
        }
        return unsafe IIODevice(
            id: id, name: text(iio_device_get_name(handle)), label: text(iio_device_get_label(handle)),
            isTrigger: iio_device_is_trigger(handle), channels: channels, attributes: attributes,
            bufferAttributes: bufferAttributes, calls: self)
    }

    // `iio_device_attr_read`, `iio_device_buffer_attr_read`
    func read(_ attribute: String, ofBuffer: Bool) throws(SystemError) -> ArraySlice<UInt8> {
        try unsafe textOf(attribute) {
            unsafe ofBuffer
                ? iio_device_buffer_attr_read(handle, attribute, $0, $1)
                : iio_device_attr_read(handle, attribute, $0, $1)
        }
    }

    // `iio_device_attr_write`, `iio_device_buffer_attr_write`
    func write(_ text: String, to attribute: String, ofBuffer: Bool) throws(SystemError) {
        let count =
            unsafe ofBuffer
            ? iio_device_buffer_attr_write(handle, attribute, text) : iio_device_attr_write(handle, attribute, text)
        try check(Int32(clamping: count), "write \(text) to \(attribute)")
    }

    // `iio_device_get_trigger`
    func trigger() throws(SystemError) -> IIODevice? {
        var trigger: OpaquePointer?
        try unsafe check(iio_device_get_trigger(handle, &trigger), "get trigger of \(id)")
        return unsafe trigger.map { unsafe LibraryDevice(handle: $0).view }
    }

    // `iio_device_set_trigger`
    func setTrigger(_ trigger: IIODevice?) throws(SystemError) {
        let other = trigger?.calls as? LibraryDevice
        try unsafe check(iio_device_set_trigger(handle, other?.handle), "set trigger of \(id)")
    }
}

/// A channel of one of this host's devices.
@safe struct LibraryChannel: ChannelCalls {
    fileprivate let handle: OpaquePointer
    private let attributes: ChannelAttributes

    fileprivate init(handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
        let listed = unsafe (0..<iio_channel_get_attrs_count(handle)).compactMap {
            unsafe text(iio_channel_get_attr(handle, $0))
        }
        attributes = unsafe ChannelAttributes(listed, name: text(iio_channel_get_name(handle)))
    }

    /// Its description.
    fileprivate var view: IIOChannel {
        let format = unsafe ciio_channel_format(handle)
        return unsafe IIOChannel(
            id: IIOChannel.name(ofLibIIO: text(iio_channel_get_id(handle)) ?? ""), name: attributes.name,
            isInput: !iio_channel_is_output(handle),
            isScanElement: iio_channel_is_scan_element(handle) && iio_channel_get_index(handle) >= 0,
            format: SampleFormat(
                storageBits: format.length, realBits: format.bits, shift: format.shift, isSigned: format.is_signed,
                repetitions: format.repeat),
            // libiio divides by the width.
            hasWidth: format.length >= 8 && format.repeat >= 1, attributes: attributes.all, calls: self)
    }

    // `iio_channel_attr_read`
    func read(_ attribute: String) throws(SystemError) -> ArraySlice<UInt8> {
        let name = attributes.forLibIIO(attribute)
        return try unsafe textOf(attribute) { unsafe iio_channel_attr_read(handle, name, $0, $1) }
    }

    // `iio_channel_attr_write`
    func write(_ text: String, to attribute: String) throws(SystemError) {
        let count = unsafe iio_channel_attr_write(handle, attributes.forLibIIO(attribute), text)
        try check(Int32(clamping: count), "write \(text) to \(attribute)")
    }

    // `iio_channel_attr_read_longlong`
    func raw() throws(SystemError) -> Int64 {
        var value: CLongLong = 0
        try unsafe check(iio_channel_attr_read_longlong(handle, attributes.forLibIIO("raw"), &value), "read raw")
        return value
    }
}

extension ScanLayout.Column {
    fileprivate var handle: OpaquePointer? { unsafe (channel.calls as? LibraryChannel)?.handle }
}

/// The text that a call writes into a buffer: a page of sysfs, and one byte more to see that the text is complete.
private func textOf(
    _ attribute: String, _ call: (UnsafeMutablePointer<CChar>, Int) -> Int
) throws(SystemError) -> ArraySlice<UInt8> {
    var bytes = [CChar](repeating: 0, count: 4097)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.map { unsafe call($0, buffer.count) } ?? 0
    }
    try check(Int32(clamping: count), "read \(attribute)")
    return bytes.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }[...]
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }

/// Returns the result unless it is one of libiio's negative codes.
@discardableResult
private func check(_ code: Int32, _ call: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard code >= 0 else { throw SystemError(call(), code: -code) }
    return code
}
