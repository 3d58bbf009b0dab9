internal import Devices
public import Readings

extension KindSet {
    /// The kinds that IIO devices measure.
    public static let iio = Self(Kind.ofIIO)
}

extension Kind {
    /// The kinds that IIO devices measure, in the order of the table.
    static let ofIIO = all.filter { $0.row.iio != nil }

    /// The type of its channels in IIO: `accel`.
    var channelType: String? { row.iio?.type }

    /// Whether something is derived from the direction of its vectors, whatever their length.
    var hasDirection: Bool { Self.all.contains { $0.row.source == .derived(from: [self]) } }

    /// The attributes that identify a device of this kind, for people.
    var attributes: String { row.iio?.attributes ?? wire }
}

extension IIODevice {
    var kinds: KindSet { KindSet(of: measured(as: nil).map(\.quantity)) }

    /// What it measures, with the channels of each, in the order of the table of kinds and of the inputs.
    ///
    /// `inputs` are those that are known of it already, by which its resources were named; without them they follow from its
    /// channels.
    func measured(
        _ kinds: [Kind] = Kind.ofIIO, as inputs: [Kind: [[String]]]?
    ) -> [(quantity: Quantity, channels: [IIOChannel])] {
        let readable = channels.filter { $0.isInput && $0.isReadable }
        let ids = Set(readable.map(\.id))
        var measured: [(quantity: Quantity, channels: [IIOChannel])] = []
        for kind in kinds {
            let inputs = inputs?[kind] ?? kind.row.iio?.inputs(among: ids) ?? []
            for (input, ids) in inputs.prefix(Quantity.mostInputs).enumerated() {
                let channels = ids.compactMap { id in readable.first { $0.id == id } }
                guard channels.count == ids.count else { continue }
                measured.append((Quantity(kind, input: UInt8(clamping: input)), channels))
            }
        }
        return measured
    }

    /// Whether its driver fills scans from the first channel on, whichever are enabled: then all of them must be
    /// enabled.
    ///
    /// The driver of HID magnetometers does this: with the heading alone enabled, it gives the magnetic field along x.
    var givesWholeScans: Bool { name == "magn_3d" }

    /// The channels of a kind, if the device has all of them; found by their ids: the device's name means nothing.
    func channels(of kind: Kind) -> [IIOChannel]? { measured([kind], as: nil).first?.channels }
}
