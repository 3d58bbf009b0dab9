internal import Glibc
internal import Platform

// IIO as a driver sees it, on this host or another. A context owns its devices and the one buffer that may run in it.
// Devices, channels and attributes are views into it and must not outlive it: they hold their own description; libiio
// does the work on this host, and our own client does it at an iiod.

/// A context and, while samples flow, its buffer.
struct IIOContext: ~Copyable {
    private var library: LibraryContext?
    private let remote: RemoteContext?

    /// Lists this host's devices.
    init() throws(SystemError) { self.init(try LibraryContext(), nil) }

    /// Connects to an iiod at one of these addresses, and lists its devices.
    init(behind endpoints: [TCPEndpoint]) throws(SystemError) { self.init(nil, try RemoteContext(endpoints)) }

    private init(_ library: consuming LibraryContext?, _ remote: RemoteContext?) {
        self.library = library
        self.remote = remote
    }

    // Views into it may still exist.
    deinit { remote?.stopBuffer() }

    /// All devices and triggers, in the order of the kernel's numbers.
    ///
    /// Without what the kernel's hwmon measures, which some libiio lists too: its channels have names of IIO's, and other units.
    var devices: [IIODevice] {
        let all =
            switch library {
            case .some(let library): library.devices
            case nil: remote?.devices ?? []
            }
        return all.filter { !$0.id.hasPrefix("hwmon") }
            .sorted { ($0.id.deviceNumber ?? .max) < ($1.id.deviceNumber ?? .max) }
    }

    /// The shortest time in which an iiod has answered; nil on this host.
    var roundTripNanoseconds: Int64? { remote?.roundTripNanoseconds }

    /// Starts capturing the channels of a layout.
    mutating func startBuffer(
        of device: IIODevice, _ layout: ScanLayout, _ sizing: BufferSizing
    ) throws(SystemError) {
        if let remote = device.calls as? RemoteDevice {
            try remote.startBuffer(layout, sizing)
        } else if let handle = device.calls as? LibraryDevice {
            try library?.startBuffer(of: handle, layout, sizing)
        }
    }

    /// Makes `refill` return at once; returns the descriptor that shows when a refill is worthwhile.
    ///
    /// On this host only.
    func unblockBuffer() throws(SystemError) -> Int32 {
        guard let descriptor = try library?.unblockBuffer() else { throw SystemError("poll buffer", code: ENOSYS) }
        return descriptor
    }

    /// Appends the scans that have arrived, oldest first, and returns how many; 0 if there are none yet.
    ///
    /// At an iiod it waits for them.
    mutating func refill(_ layout: ScanLayout, into scans: inout RawScans) throws(SystemError) -> Int {
        if let remote { return try remote.refill(into: &scans) }
        return try library?.refill(layout, into: &scans) ?? 0
    }
}

/// The calls on a device, through libiio or at an iiod.
protocol DeviceCalls {
    func read(_ attribute: String, ofBuffer: Bool) throws(SystemError) -> ArraySlice<UInt8>
    func write(_ text: String, to attribute: String, ofBuffer: Bool) throws(SystemError)
    func trigger() throws(SystemError) -> IIODevice?
    func setTrigger(_ trigger: IIODevice?) throws(SystemError)
}

protocol ChannelCalls {
    func read(_ attribute: String) throws(SystemError) -> ArraySlice<UInt8>
    func write(_ text: String, to attribute: String) throws(SystemError)
    func raw() throws(SystemError) -> Int64
}

/// A device or trigger of a context.
struct IIODevice {
    let id: String
    let name: String?
    let label: String?
    let isTrigger: Bool
    let channels: [IIOChannel]
    let attributes: [String]
    let bufferAttributes: [String]
    let calls: any DeviceCalls

    /// The trigger that is set; nil for none; throws ENOENT if the device takes no trigger.
    func trigger() throws(SystemError) -> IIODevice? {
        do throws(SystemError) { return try calls.trigger() } catch {
            // The file of an unset trigger is empty, and libiio, here or at the iiod, reports that as an I/O error.
            if error.code == EIO { return nil }
            throw error
        }
    }

    func setTrigger(_ trigger: IIODevice?) throws(SystemError) { try calls.setTrigger(trigger) }
}

/// A channel of a device.
struct IIOChannel {
    let id: String
    /// The name that the driver gives it.
    let name: String?
    let isInput: Bool
    let isScanElement: Bool
    /// The layout of its words in the buffer; nil if they cannot be converted safely.
    let format: SampleFormat?
    /// False if its words have no usable width.
    let hasWidth: Bool
    let attributes: [String]
    let calls: any ChannelCalls

    /// The sensor's value at this moment.
    func raw() throws(SystemError) -> Int64 { try calls.raw() }

    /// The numbers in an attribute: one for each repetition of a raw channel; of a processed one, a single number.
    func numbers(in attribute: String) throws(SystemError) -> [Double] {
        let text = String(decoding: try calls.read(attribute).prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
        let words = text.split(separator: " ")
        let numbers = words.compactMap { Double($0) }
        guard !numbers.isEmpty, numbers.count == words.count else {
            throw SystemError("read \(attribute) of \(id)", code: EINVAL)
        }
        return numbers
    }

    /// The kernel's name of a channel: if one name is the beginning of another, libiio 0.24, here and at an iiod, stops
    /// at the shorter one.
    static func name(ofLibIIO id: String) -> String {
        id.hasSuffix("_from_north_magnetic") ? "\(id)_tilt_comp" : id
    }

    /// Whether there is a way to read it.
    var isReadable: Bool { isScanElement || attributes.contains("raw") || attributes.contains("input") }
}

/// An existing attribute: a file in sysfs, here or at the iiod.
struct IIOAttribute {
    enum Owner {
        case device(IIODevice)
        case channel(IIOChannel)
        /// `enable` of a buffer always exists, but libiio does not list it.
        case buffer(IIODevice)
    }

    let name: String
    private let owner: Owner

    /// The attribute, if its owner has it.
    init?(_ name: String, of owner: Owner) {
        let exists =
            switch owner {
            case .device(let device): device.attributes.contains(name)
            case .channel(let channel): channel.attributes.contains(name)
            case .buffer(let device): name == "enable" || device.bufferAttributes.contains(name)
            }
        guard exists else { return nil }
        self.name = name
        self.owner = owner
    }

    /// Whether it belongs to a channel, and not to the device as a whole.
    var isOfChannel: Bool {
        if case .channel = owner { true } else { false }
    }

    /// Its text, without the end of line.
    func read() throws(SystemError) -> String {
        let bytes =
            switch owner {
            case .device(let device): try device.calls.read(name, ofBuffer: false)
            case .channel(let channel): try channel.calls.read(name)
            case .buffer(let device): try device.calls.read(name, ofBuffer: true)
            }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
    }

    /// Its text; nil only if there is no such attribute: for what decides what counts mean.
    ///
    /// Any other failure, which may be over in a moment, is thrown: with a default in place of the text, all values
    /// would be wrong until the next opening, and nobody would know.
    func readIfThere() throws(SystemError) -> String? {
        do { return try read() } catch {
            if error.meansAbsent { return nil }
            throw error.isBreach ? error : SystemError("read \(name) of \(ownerID)", code: error.code)
        }
    }

    private var ownerID: String {
        switch owner {
        case .device(let device), .buffer(let device): device.id
        case .channel(let channel): channel.id
        }
    }

    func write(_ text: String) throws(SystemError) {
        switch owner {
        case .device(let device): try device.calls.write(text, to: name, ofBuffer: false)
        case .channel(let channel): try channel.calls.write(text, to: name)
        case .buffer(let device): try device.calls.write(text, to: name, ofBuffer: true)
        }
    }
}
