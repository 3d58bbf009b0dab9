/// How much structure a JSON text may have; how long it may be is the framer's business.
public struct JSONLimits: Equatable, Sendable {
    /// How deep arrays and objects may nest; 1 is an object of plain values; at most 64.
    public let depth: Int
    /// How many keys there may be in all objects together.
    public let keys: Int
    /// How many keys one object may have.
    ///
    /// Keys are compared one by one, which this keeps cheap without a hash that a stranger could aim at: 256 long keys
    /// that differ at their ends would hold the loop up for 16 ms a call.
    public let keysPerObject: Int

    /// Limits; the depth is held to 64, since the reader recurses.
    public init(depth: Int, keys: Int, keysPerObject: Int) {
        self.depth = min(depth, 64)
        self.keys = keys
        self.keysPerObject = keysPerObject
    }

    /// What a stranger's call may have.
    public static let calls = JSONLimits(depth: 16, keys: 256, keysPerObject: 32)
    /// What a service's reply may have: it lists what it has much of, as two thousand clients of many resources each.
    public static let replies = JSONLimits(depth: 16, keys: 1 << 20, keysPerObject: 256)
}
