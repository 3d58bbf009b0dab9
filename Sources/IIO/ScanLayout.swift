/// The channels of a scan that are read, and how their words lie in it.
struct ScanLayout {
    /// A channel with a format that has been checked.
    struct Column {
        let channel: IIOChannel
        let format: SampleFormat

        /// The channel as part of a scan; nil where it cannot be.
        init?(_ channel: IIOChannel) {
            guard channel.isScanElement, let format = channel.format else { return nil }
            self.channel = channel
            self.format = format
        }
    }

    let x: Column
    let y: Column
    let z: Column
    /// Where the device stamps its samples.
    let timestamp: Column?

    /// The layout, if all three axes can be part of a scan.
    init?(x: IIOChannel, y: IIOChannel, z: IIOChannel, timestamp: IIOChannel?) {
        guard let x = Column(x), let y = Column(y), let z = Column(z) else { return nil }
        self.x = x
        self.y = y
        self.z = z
        self.timestamp = timestamp.flatMap(Column.init)
    }
}
