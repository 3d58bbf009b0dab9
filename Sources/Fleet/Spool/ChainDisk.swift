/// The files of a chain among those of a directory.
final class ChainDisk: SpoolDisk {
    private let disk: any SpoolDisk
    private let prefix: String

    init(_ disk: any SpoolDisk, prefix: String) { (self.disk, self.prefix) = (disk, prefix) }

    func names() throws(DiskFailure) -> [String] {
        try disk.names().filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    func read(_ name: String, from offset: Int, most count: Int) throws(DiskFailure) -> [UInt8] {
        try disk.read(prefix + name, from: offset, most: count)
    }

    func size(of name: String) throws(DiskFailure) -> Int { try disk.size(of: prefix + name) }

    func create(_ name: String) throws(DiskFailure) { try disk.create(prefix + name) }

    func append(_ bytes: [UInt8], to name: String) throws(DiskFailure) {
        try disk.append(bytes, to: prefix + name)
    }

    func cut(_ name: String, to size: Int) throws(DiskFailure) { try disk.cut(prefix + name, to: size) }

    func remove(_ name: String) throws(DiskFailure) { try disk.remove(prefix + name) }

    func sync(thenRemoving names: [String]) { disk.sync(thenRemoving: names.map { prefix + $0 }) }
}
