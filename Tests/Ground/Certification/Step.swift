internal import Varlink

/// A method of `org.varlink.certification`, in the order in which a client calls them.
enum Step: String, CaseIterable {
    case start = "Start"
    case test01 = "Test01"
    case test02 = "Test02"
    case test03 = "Test03"
    case test04 = "Test04"
    case test05 = "Test05"
    case test06 = "Test06"
    case test07 = "Test07"
    case test08 = "Test08"
    case test09 = "Test09"
    case test10 = "Test10"
    case test11 = "Test11"
    case end = "End"

    /// What comes next; nil after the last.
    var following: Step? {
        let steps = Self.allCases
        return steps.firstIndex(of: self).flatMap { $0 + 1 < steps.count ? steps[$0 + 1] : nil }
    }

    /// How it must be called.
    var mode: Call.Mode {
        switch self {
        case .test10: .more
        case .test11: .oneway
        default: .plain
        }
    }

    /// What it must be called with, beside the client's name.
    var parameters: JSONObject {
        switch self {
        case .start, .test01, .end: [:]
        case .test11: ["last_more_replies": .array(Self.test10Replies.map { .string($0) })]
        case .test02: Self.test01.reply
        case .test03: Self.test02.reply
        case .test04: Self.test03.reply
        case .test05: Self.test04.reply
        case .test06: Self.test05.reply
        case .test07: Self.test06.reply
        case .test08: Self.test07.reply
        case .test09: Self.test08.reply
        case .test10: Self.test09.reply
        }
    }

    /// What it is answered with.
    var replies: [JSONObject] {
        self == .test10 ? Self.test10Replies.map { ["string": .string($0)] } : [reply]
    }

    private static let test10Replies = (1...10).map { "Reply number \($0)" }

    private static let fields: JSONObject = [
        "bool": false, "int": 2, "float": .number(.pi), "string": "a lot of string",
    ]

    private static let map: JSONValue = ["foo": "Foo", "bar": "Bar"]

    private static let set: JSONValue = ["one": [:], "two": [:], "three": [:]]

    private var reply: JSONObject {
        switch self {
        case .start, .test10, .test11: [:]
        case .test01: ["bool": true]
        case .test02: ["int": 1]
        case .test03: ["float": 1.0]
        case .test04: ["string": "ping"]
        case .test05: Self.fields
        case .test06: ["struct": .object(Self.fields)]
        case .test07: ["map": Self.map]
        case .test08: ["set": Self.set]
        case .test09: ["mytype": Self.myType]
        case .end: ["all_ok": true]
        }
    }

    private static let myType: JSONValue = [
        "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": map]],
        "enum": "two",
        "struct": ["first": 1, "second": "2"],
        "array": ["one", "two", "three"],
        "dictionary": map,
        "stringset": set,
        "nullable": nil,
        "nullable_array_struct": nil,
        "interface": [
            "foo": [nil, ["foo": "foo", "bar": "bar"], nil, ["one": "foo", "two": "bar"]],
            "anon": ["foo": true, "bar": false],
        ],
    ]
}
