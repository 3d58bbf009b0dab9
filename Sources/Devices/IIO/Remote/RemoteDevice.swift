internal import Glibc
internal import Platform

struct RemoteDevice: DeviceCalls {
    private let context: RemoteContext
    private let device: RemoteDescription.Device

    init(_ context: RemoteContext, _ device: RemoteDescription.Device) {
        self.context = context
        self.device = device
    }

    func read(_ attribute: String, ofBuffer: Bool) throws(SystemError) -> ArraySlice<UInt8> {
        // On a host those of a buffer always exist, but not behind every iiod.
        guard !ofBuffer || device.bufferAttributes.contains(attribute) else {
            throw SystemError("read \(attribute)", code: ENOENT)
        }
        return try context.read(path(attribute, ofBuffer), for: "read \(attribute)")
    }

    func write(_ text: String, to attribute: String, ofBuffer: Bool) throws(SystemError) {
        try context.write(text, to: path(attribute, ofBuffer), for: "write \(text) to \(attribute)")
    }

    private func path(_ attribute: String, _ ofBuffer: Bool) -> String {
        "\(device.id) \(ofBuffer ? "BUFFER " : "")\(attribute)"
    }

    func trigger() throws(SystemError) -> IIODevice? {
        let name = try context.trigger(of: device.id)
        if name.isEmpty { return nil }
        let found = context.devices.first { $0.isTrigger && $0.name == name }
        guard let found else { throw SystemError("find trigger \(name)", code: ENXIO) }
        return found
    }

    func setTrigger(_ trigger: IIODevice?) throws(SystemError) {
        try context.setTrigger(trigger?.id, of: device.id)
    }

    func startBuffer(_ layout: ScanLayout, _ sizing: BufferSizing) throws(SystemError) {
        let numbers = layout.columns.compactMap { ($0.channel.calls as? RemoteChannel)?.number }
        try context.startBuffer(of: device, channels: numbers, groups: layout.groups.map(\.columns.count), sizing)
    }
}

/// A channel of such a device.
struct RemoteChannel: ChannelCalls {
    private let context: RemoteContext
    private let path: String
    fileprivate let attributes: ChannelAttributes
    /// Its bit in a mask.
    let number: Int

    init(_ context: RemoteContext, _ channel: RemoteDescription.Channel, number: Int, of device: String) {
        self.context = context
        path = "\(device) \(channel.isOutput ? "OUTPUT" : "INPUT") \(channel.id)"
        attributes = ChannelAttributes(channel.attributes, name: channel.name)
        self.number = number
    }

    func read(_ attribute: String) throws(SystemError) -> ArraySlice<UInt8> {
        try context.read("\(path) \(attributes.forLibIIO(attribute))", for: "read \(attribute)")
    }

    func write(_ text: String, to attribute: String) throws(SystemError) {
        try context.write(
            text, to: "\(path) \(attributes.forLibIIO(attribute))", for: "write \(text) to \(attribute)")
    }

    func raw() throws(SystemError) -> Int64 {
        let text = try read("raw")
        let digits = text.prefix { $0 != 0 && $0 != 10 }
        guard let value = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw SystemError("read raw", code: EINVAL)
        }
        return value
    }
}

extension RemoteContext {
    var devices: [IIODevice] { description.devices.map(view) }

    private func view(_ device: RemoteDescription.Device) -> IIODevice {
        let channels = device.channels.enumerated().map { number, channel in
            let calls = RemoteChannel(self, channel, number: number, of: device.id)
            return IIOChannel(
                id: IIOChannel.name(ofLibIIO: channel.id), name: calls.attributes.name, isInput: !channel.isOutput,
                isScanElement: channel.index != nil,
                format: channel.word?.format, hasWidth: channel.word?.bytes != nil, attributes: calls.attributes.all,
                calls: calls)
        }
        return IIODevice(
            id: device.id, name: device.name, label: device.label, isTrigger: device.isTrigger, channels: channels,
            attributes: device.attributes, bufferAttributes: device.bufferAttributes,
            calls: RemoteDevice(self, device))
    }
}
