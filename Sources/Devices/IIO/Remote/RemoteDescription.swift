internal import Devices

/// An iiod's description of its devices: checked, bounded, and in the order in which a mask counts their channels.
struct RemoteDescription: Equatable {
    struct Device: Equatable {
        let id: String
        let name: String?
        let label: String?
        /// In the order of a mask.
        fileprivate(set) var channels: [Channel] = []
        fileprivate(set) var attributes: [String] = []
        fileprivate(set) var bufferAttributes: [String] = []

        /// How many words of 32 channels a mask has.
        var maskWords: Int { (channels.count + 31) / 32 }
        /// By libiio's rule.
        var isTrigger: Bool { channels.isEmpty && name != nil && id.hasPrefix("trigger") }
    }

    struct Channel: Equatable {
        let id: String
        /// The name that the driver gives it.
        var name: String?
        let isOutput: Bool
        fileprivate(set) var attributes: [String] = []
        /// Its index in a scan; nil if it is in none.
        fileprivate(set) var index: Int?
        fileprivate(set) var word: RemoteWord?
    }

    private(set) var devices: [Device] = []

    /// Ten times the description of any iiod with real hardware.
    static let mostBytes = 1 << 20
    private static let mostElements = 16_384

    /// Reads a description; throws if it is not one or is not safe to use.
    init(_ bytes: [UInt8]) throws(MarkupError) {
        var reader = MarkupReader(bytes)
        var path: [String] = []
        var elements = 0
        while let event = try reader.next() {
            switch event {
            case .end: path.removeLast()
            case .start(let name, let values):
                elements += 1
                guard elements <= Self.mostElements else { throw .tooMany("elements") }
                path.append(name)
                guard path[0] == "context" else { throw .unfit("context") }
                try begin(path.dropFirst(), values)
            }
        }
        for index in devices.indices { devices[index].channels.sort(by: Self.isBefore) }
    }

    private mutating func begin(_ path: ArraySlice<String>, _ values: [String: String]) throws(MarkupError) {
        let device = devices.count - 1
        switch Array(path) {
        case ["device"]: devices.append(try Self.device(values))
        case ["device", "attribute"]: devices[device].attributes.append(try Self.word(values["name"], "attribute"))
        case ["device", "buffer-attribute"]:
            devices[device].bufferAttributes.append(try Self.word(values["name"], "attribute"))
        case ["device", "channel"]:
            let id = try Self.word(values["id"], "channel")
            let name = values["name"].map { printable($0) }
            devices[device].channels.append(Channel(id: id, name: name, isOutput: values["type"] == "output"))
        case ["device", "channel", "attribute"]:
            let channel = devices[device].channels.count - 1
            devices[device].channels[channel].attributes.append(try Self.word(values["name"], "attribute"))
        case ["device", "channel", "scan-element"]:
            let channel = devices[device].channels.count - 1
            guard let index = values["index"].flatMap({ Int($0) }), (0...Int(UInt16.max)).contains(index) else {
                throw .unfit("place in a scan")
            }
            devices[device].channels[channel].index = index
            devices[device].channels[channel].word = values["format"].flatMap(RemoteWord.init)
        default: break
        }
    }

    private static func device(_ values: [String: String]) throws(MarkupError) -> Device {
        Device(
            id: try word(values["id"], "device"), name: values["name"].map { printable($0) },
            label: values["label"].map { printable($0) })
    }

    /// A word that can be part of a command: visible characters, and not too many.
    private static func word(_ text: String?, _ what: String) throws(MarkupError) -> String {
        guard let text, (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .unfit("name of \(what == "attribute" ? "an" : "a") \(what)")
        }
        return text
    }

    /// libiio's order, which masks use: the channels of a scan first, by their index in it.
    private static func isBefore(_ first: Channel, _ second: Channel) -> Bool {
        guard let left = first.index else { return false }
        guard let right = second.index else { return true }
        return left != right ? left < right : (first.word?.shift ?? 0) < (second.word?.shift ?? 0)
    }
}
