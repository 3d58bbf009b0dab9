internal import Glibc
internal import Platform

/// The sensors of this host as a whole: what distinguishes them from another host's, and who may use them.
public enum LocalSensors {
    /// Where the kernel lists them.
    static let directory = "/sys/bus/iio/devices"

    /// The same for all processes that see these sensors, whatever their mounts; nil if the kernel has no IIO bus.
    /// `stat(2)`
    public static var identity: String? {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { return nil }
        return "\(status.st_dev).\(status.st_ino)"
    }

    /// Whether a user may use a sensor, by the groups that the host's user database lists for it.
    public static func admit(userID: UInt32) -> Bool {
        userID == 0 || admit(userID: userID, groupIDs: Accounts.groupIDs(ofUser: userID))
    }

    /// Whether a user with these groups may use a sensor.
    ///
    /// That is root, any member of the group `iio`, to which our rule gives the sensors, and anybody whom the node of a
    /// sensor lets in. Access lists count by their mask: their entries are not read one by one.
    public static func admit(userID: UInt32, groupIDs: Set<UInt32>) -> Bool {
        if userID == 0 { return true }
        if let group = Accounts.groupID(named: "iio"), groupIDs.contains(group) { return true }
        return Directory.names(in: directory).contains { name in
            var status = stat()
            guard name.hasPrefix("iio:device"), unsafe stat("/dev/\(name)", &status) == 0 else { return false }
            let rights = status.st_mode
            if status.st_uid == userID { return rights & S_IRUSR != 0 }
            return rights & S_IROTH != 0 || (rights & S_IRGRP != 0 && groupIDs.contains(status.st_gid))
        }
    }
}
