internal import Delivery
internal import Readings
internal import Varlink

/// What a lane says this time, encoded once for all its members, in buffers that are used again and again.
///
/// Nearly always every member gets the same bytes. Only where a gap is told, a member that joined after it gets the readings
/// alone, and one that has seen the readings the gap alone; those are encoded when the first such member turns up.
struct LanePayload {
    /// Bytes for one member, and whether they hold the readings.
    struct Message {
        let bytes: [UInt8]
        let hasReadings: Bool
    }

    private(set) var readings: [Sample] = []
    private(set) var gaps: [Gap] = []
    private var resource = ResourceName.location
    private var satellites = false
    private var whole = JSONWriter()
    private var readingsOnly = JSONWriter()
    private var gapsOnly = JSONWriter()

    mutating func begin(_ lane: Lane, of resource: ResourceName) {
        readings = lane.readings
        gaps = lane.gaps
        self.resource = resource
        satellites = lane.grant.tellsSatellites
        whole.removeAll()
        readingsOnly.removeAll()
        gapsOnly.removeAll()
    }

    /// Lets go of the lane's readings, so that clearing the lane keeps its storage.
    mutating func end() {
        readings = []
        gaps = []
    }

    /// The message for a member; empty if there is none for it.
    mutating func message(for member: Member) -> Message {
        let wantsReadings = member.wants(readings)
        let concerning = gaps.count { member.concerns($0) }
        if concerning > 0, concerning < gaps.count { return apart(for: member, wantsReadings: wantsReadings) }
        let wantsGaps = concerning > 0
        switch (wantsReadings, wantsGaps) {
        case (true, false) where !gaps.isEmpty:
            Self.encode(readings, [], resource, withSatellites: satellites, &readingsOnly)
            return Message(bytes: readingsOnly.bytes, hasReadings: true)
        case (true, _):
            Self.encode(readings, gaps, resource, withSatellites: satellites, &whole)
            return Message(bytes: whole.bytes, hasReadings: true)
        case (false, true):
            Self.encode([], gaps, resource, withSatellites: false, &gapsOnly)
            return Message(bytes: gapsOnly.bytes, hasReadings: false)
        case (false, false):
            return Message(bytes: [], hasReadings: false)
        }
    }

    /// For the rare member that only some of several gaps concern.
    private func apart(for member: Member, wantsReadings: Bool) -> Message {
        var writer = JSONWriter()
        Self.encode(
            wantsReadings ? readings : [], gaps.filter { member.concerns($0) }, resource, withSatellites: satellites,
            &writer)
        return Message(bytes: writer.bytes, hasReadings: wantsReadings)
    }

    private static func encode(
        _ readings: [Sample], _ gaps: [Gap], _ resource: ResourceName, withSatellites: Bool, _ writer: inout JSONWriter
    ) {
        guard writer.bytes.isEmpty else { return }
        writer.beginReply()
        writer.readings(readings, of: resource, withSatellites: withSatellites)
        writer.gaps(gaps, of: resource)
        writer.endReply(continues: true)
    }
}
