internal import Readings

/// Which columns of a table are what: its times, a location, and any number of sensors.
struct TableLayout {
    /// The columns of one sensor.
    struct Sensor {
        let kind: Kind
        /// Which one of several of its kind: 0 for the first.
        let number: Int
        /// The column of each channel.
        let columns: [Int]
        let unit: ColumnUnit
        let hasUnit: Bool
    }

    /// A column that was found, and the unit in its name.
    private struct Column {
        let index: Int
        let unit: String?
        /// Whether the unit can be nothing else: it is in brackets.
        var isCertain = true
    }

    /// What a name may have besides its unit.
    private struct Title: Hashable {
        let words: String
        let number: Int?
    }

    /// The columns of a location.
    struct Place {
        let index: Int
        let column: LocationColumn
        let unit: ColumnUnit
        let hasUnit: Bool
    }

    private(set) var places: [Place] = []
    private(set) var sensors: [Sensor] = []
    /// Columns with `N` or `S`, and with `E` or `W`.
    private(set) var hemispheres: [String: Int] = [:]
    /// A column with `none`, `2d` or `3d`, and one with the receiver's time.
    private(set) var fix: Int?
    private(set) var utc: Int?
    /// A column with the names of resources, as this program writes.
    private(set) var resource: Int?
    private var used: Set<Int> = []
    private let columns: [ColumnName]
    /// The columns by what their names may have, in order; of several with one name the first.
    private let titles: [Title: [Column]]
    private let named: TableImport.Names
    /// Why columns that look like those of a sensor are not.
    private var refusal: FormatError?

    /// Finds the columns; a kind excludes all others.
    init(_ names: [String], _ named: TableImport.Names, _ kind: Kind?, clock: TableClock?) throws(FormatError) {
        columns = names.map { ColumnName($0) }
        titles = Self.titles(columns)
        self.named = named
        if let clock {
            used.insert(clock.column)
            if case .timesOfDay(let dates?) = clock.form { used.insert(dates) }
            if let dates = clock.dates { used.insert(dates) }
        }
        resource = columns.firstIndex { $0.words == "resource" }
        let isNamedSensor = Kind.all.contains { kind in
            kind.row.channels.contains { named[$0.description]?.column != nil }
        }
        if kind ?? .location == .location, !isNamedSensor { try findLocation() }
        let isNamedPlace = LocationColumn.all.contains { $0.field.isCoordinate && named[$0.name] != nil }
        if kind != .location, !isNamedPlace || kind != nil { try findSensors(kind, isNamed: isNamedSensor) }
        if places.isEmpty, sensors.isEmpty, let refusal { throw refusal }
    }

    /// How many sensors of a kind a row has.
    func count(of kind: Kind) -> Int { sensors.count { $0.kind == kind } }

    /// The names of columns that nothing was made of.
    var unusedNames: [String] {
        var known = used.union(places.map(\.index)).union(sensors.flatMap(\.columns)).union(hemispheres.values)
        known.formUnion([fix, utc, resource].compactMap { $0 })
        let own = ["sequence", "time", "timestampnanoseconds"]
        return columns.enumerated().filter { index, column in
            !known.contains(index) && !column.text.isEmpty && !(resource != nil && own.contains(column.words))
        }.map(\.element.text)
    }

    /// What was taken for granted, since no column has its unit.
    var assumedUnits: [String] {
        guard resource == nil else { return [] }
        let speed = places.first { $0.column.name == "speedMetersPerSecond" && !$0.hasUnit }.map { _ in
            "the speed in m/s"
        }
        return (speed.map { [$0] } ?? [])
            + sensors.filter { !$0.hasUnit && !$0.kind.row.unit.symbol.isEmpty }
            .map { "\($0.kind.row.resource) in \($0.kind.row.unit.symbol)" }
    }

    // MARK: locations

    private mutating func findLocation() throws(FormatError) {
        var found: [Place] = []
        for column in LocationColumn.all {
            if let name = named[column.name]?.column {
                let index = try index(of: name)
                let spelling = named[column.name]?.unit ?? columns[index].readings[0].unit
                found.append(try place(index, column, spelling))
                continue
            }
            let (names, title) = (Set(column.names), columns)
            for index in title.indices where !used.contains(index) && !found.contains(where: { $0.index == index }) {
                guard let reading = title[index].readings.first(where: { names.contains($0.words) }) else { continue }
                do throws(FormatError) {
                    found.append(try place(index, column, named[column.name]?.unit ?? reading.unit))
                } catch {
                    guard reading.words == title[index].words else { continue }
                    if column.field.isCoordinate || named[column.name] != nil { throw error }
                    refusal = refusal ?? error
                    continue
                }
                break
            }
        }
        guard
            LocationColumn.all.filter(\.field.isCoordinate).allSatisfy({ coordinate in
                found.contains { $0.column.name == coordinate.name }
            })
        else { return }
        places = found
        used.formUnion(found.map(\.index))
        fix = columns.firstIndex { ["fix", "gpsfix", "fixtype", "fixquality", "valid"].contains($0.words) }
        utc = columns.firstIndex { $0.words == "utcmicroseconds" }
        let letters = [
            "NS": ["ns", "latns", "latdir", "latref", "nsindicator"],
            "EW": ["ew", "lonew", "londir", "lonref", "ewindicator"],
        ]
        for (pair, names) in letters {
            hemispheres[pair] = columns.indices.first { names.contains(columns[$0].words) }
        }
    }

    private func place(_ index: Int, _ column: LocationColumn, _ spelling: String?) throws(FormatError) -> Place {
        guard let spelling else { return Place(index: index, column: column, unit: ColumnUnit(), hasUnit: false) }
        if let unit = ColumnUnit.of(column.field, spelling) {
            return Place(index: index, column: column, unit: unit, hasUnit: true)
        }
        throw FormatError("'\(spelling.excerpt)' is not a unit of \(column.name), in '\(columns[index].text.excerpt)'")
    }

    // MARK: sensors

    private mutating func findSensors(_ only: Kind?, isNamed: Bool) throws(FormatError) {
        let kinds = Kind.all.filter { $0.row.form == .values && (only == nil || $0 == only) }
        if isNamed { return try findNamed(kinds) }
        var numbers: [String: Set<Int>] = [:]
        for title in titles.keys { if let number = title.number { numbers[title.words, default: []].insert(number) } }
        for kind in kinds {
            let schemes = Self.namesWithWords(kind)
            let own = Set(schemes.joined().flatMap { numbers[$0] ?? [] })
            for number in [nil] + own.sorted().map({ $0 }) {
                if let sensor = sensor(of: kind, schemes, number) { add(sensor) }
            }
        }
        // A bare `x` is common in a table with a single sensor; if there is a `w` as well, it is a rotation.
        let bare = kinds.filter { only != nil || $0.row.channels.count >= 3 }
            .sorted { $0.row.channels.count > $1.row.channels.count }
        for kind in bare where sensors.isEmpty {
            if let sensor = sensor(of: kind, Self.bareNames(kind), nil) { add(sensor) }
        }
    }

    private mutating func add(_ sensor: Sensor) {
        sensors.append(sensor)
        used.formUnion(sensor.columns)
    }

    /// The sensor whose columns the user named.
    private mutating func findNamed(_ kinds: [Kind]) throws(FormatError) {
        var fault: FormatError?
        for kind in kinds {
            let channels = kind.row.channels.map(\.description)
            let places = try namedIndices(channels)
            let indices = places.compactMap { $0 }
            guard !indices.isEmpty else { continue }
            guard indices.count == channels.count else {
                // Channels that are not named may have their usual names.
                do throws(FormatError) {
                    if let sensor = try partlyNamed(kind, places) { return add(sensor) }
                } catch { fault = fault ?? error }
                let words = channels.map { "\($0)=NAME" }
                let all = words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
                fault = fault ?? FormatError("\(kind.wire) needs all of \(all)")
                continue
            }
            do throws(FormatError) { return add(try unified(kind, indices.map { given($0, kind) }, number: 0)) } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
    }

    private func namedIndices(_ channels: [String]) throws(FormatError) -> [Int?] {
        try channels.map { channel throws(FormatError) in
            guard let name = named[channel]?.column else { return nil }
            return try index(of: name)
        }
    }

    private func index(of name: String) throws(FormatError) -> Int { try columns.map(\.text).index(ofColumn: name) }

    private mutating func partlyNamed(_ kind: Kind, _ indices: [Int?]) throws(FormatError) -> Sensor? {
        for scheme in Self.namesWithWords(kind) + Self.bareNames(kind) {
            let all = zip(indices, scheme).map { index, word in index.map { given($0, kind) } ?? column(word, nil, kind)
            }
            let found = all.compactMap { $0 }
            if found.count == all.count { return try unified(kind, found, number: 0) }
        }
        return nil
    }

    /// The first of some ways to name all channels of a kind that the table uses; with a number that stands in the names of several
    /// sensors of a kind.
    private mutating func sensor(of kind: Kind, _ schemes: [[String]], _ number: Int?) -> Sensor? {
        for scheme in schemes {
            let found = scheme.map { column($0, number, kind) }
            let columns = found.compactMap { $0 }
            guard columns.count == scheme.count else { continue }
            do throws(FormatError) { return try unified(kind, columns, number: count(of: kind)) } catch {
                refusal = refusal ?? error
            }
        }
        return nil
    }

    /// The column with a name, of those that are left.
    private mutating func column(_ words: String, _ number: Int?, _ kind: Kind) -> Column? {
        for column in titles[Title(words: words, number: number)] ?? [] where !used.contains(column.index) {
            guard let unit = column.unit, ColumnUnit.of(kind, unit) == nil else { return column }
            if column.isCertain { refusal = refusal ?? unknownUnit(unit, kind) }
        }
        return nil
    }

    private static func titles(_ columns: [ColumnName]) -> [Title: [Column]] {
        var titles: [Title: [Column]] = [:]
        var known: Set<String> = []
        for (index, column) in columns.enumerated() where known.insert(column.text).inserted {
            for reading in column.readings {
                let found = Column(index: index, unit: reading.unit, isCertain: reading.isBracketed)
                titles[Title(words: reading.words, number: nil), default: []].append(found)
                guard let (words, number) = reading.unnumbered else { continue }
                titles[Title(words: words, number: number), default: []].append(found)
            }
        }
        return titles
    }

    /// A column that the user named, with the longest unit at the end of its name.
    private func given(_ index: Int, _ kind: Kind) -> Column {
        let unit = columns[index].readings.last { $0.unit.map { ColumnUnit.of(kind, $0) != nil } ?? false }?.unit
        return Column(index: index, unit: unit)
    }

    private func unknownUnit(_ unit: String, _ kind: Kind) -> FormatError {
        FormatError("'\(unit.excerpt)' is not a unit of \(kind.wire): \(kind.row.unit.words)")
    }

    /// A sensor of columns that are all in one unit.
    private func unified(_ kind: Kind, _ found: [Column], number: Int) throws(FormatError) -> Sensor {
        let indices = found.map(\.index)
        let channels = kind.row.channels.map(\.description)
        let stated = channels.compactMap { named[$0]?.unit }
        let units = stated.isEmpty ? found.compactMap(\.unit) : stated
        if let unit = units.first, let other = units.first(where: { $0 != unit }) {
            throw FormatError("columns are in '\(unit.excerpt)' and '\(other.excerpt)': use one unit for all")
        }
        var scale = ColumnUnit()
        if let spelling = units.first {
            guard let unit = ColumnUnit.of(kind, spelling) else { throw unknownUnit(spelling, kind) }
            scale = unit
        } else if kind == .acceleration, indices.allSatisfy({ columns[$0].words.hasPrefix("gf") }) {
            // A name such as `gFx` implies the unit.
            scale = ColumnUnit.of(kind, "g") ?? scale
        }
        // A column named `lux` has its unit.
        let isUnit = indices.allSatisfy { ColumnUnit.of(kind, columns[$0].words) != nil }
        let impliesUnit = !units.isEmpty || scale != ColumnUnit() || isUnit
        return Sensor(kind: kind, number: number, columns: indices, unit: scale, hasUnit: impliesUnit)
    }

    /// The names of all channels, in each of the usual ways: `accx` or `xacc`, and so on.
    private static func namesWithWords(_ kind: Kind) -> [[String]] {
        let (channels, wire) = (kind.row.channels.map { ColumnName.plain($0.description) }, ColumnName.plain(kind.wire))
        let resource = kind.row.resource
        let words = kind.row.otherNames + [wire, resource, resource + wire]
        return (channels.count == 1 ? words.map { [$0] } : [])
            + words.map { word in channels.map { word + $0 } }
            + words.filter { $0.utf8.count > 1 }.map { word in channels.map { $0 + word } }
    }

    /// The names of all channels, without a word for what they measure.
    private static func bareNames(_ kind: Kind) -> [[String]] {
        let channels = kind.row.channels.map { ColumnName.plain($0.description) }
        return [channels, channels.map { $0 + "axis" }]
    }
}

extension Kind {
    /// The names of the channels as text: `x, y and z`.
    var channelWords: String {
        let names = row.channels.map(\.description)
        guard let last = names.last, names.count > 1 else { return names.first ?? wire }
        return names.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
