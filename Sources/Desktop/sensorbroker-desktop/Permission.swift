internal import CSystemd
internal import Platform

/// Who may claim a sensor: whoever sits in front of it; and who may read locations as NMEA.
///
/// So has iio-sensor-proxy 3 by a rule of polkit, `allow_active`; this asks systemd-logind's files and needs no polkit. Programs
/// that need no seat are those of root, those of the members of the group that may use the broker anyway, and geoclue for the
/// compass.
enum Permission {
    /// The group whose members may use the broker; nil: this host does not have it.
    static var groupID: UInt32? { Accounts.groupID(named: "sensorbroker") }
    /// The user of the service that gives programs the heading together with the location.
    private static let locator = "geoclue"

    /// Whether a program of a user may claim a sensor.
    static func mayClaim(_ sensor: DesktopSensor, _ userID: UInt32) -> Bool {
        userID == 0 || sitsAtSeat(userID) || isMember(userID)
            || sensor == .compass && Accounts.userID(named: locator) == userID
    }

    /// Whether a user has a session in the foreground of a seat. `sd_uid_get_seats(3)`
    ///
    /// Sessions without a seat, as by ssh, are always active.
    private static func sitsAtSeat(_ userID: UInt32) -> Bool { sd_uid_get_seats(userID, 1, nil) > 0 }

    private static func isMember(_ userID: UInt32) -> Bool {
        groupID.map { Accounts.groupIDs(ofUser: userID).contains($0) } ?? false
    }

    /// Whether a client may read locations: root, this program's own user, geoclue, and those who may use the broker.
    static func mayReadLocations(_ peer: Peer) -> Bool {
        if peer.userID == 0 || peer.isOfOwnUser || peer.userID == Accounts.userID(named: locator) { return true }
        return groupID.map { peer.allGroupIDs.contains($0) } ?? false
    }
}
