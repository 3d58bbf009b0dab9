import Testing
import Varlink

@Suite struct ParametersTests {
    private enum Filter: String {
        case newest, mean
    }

    private let parameters = Parameters([
        "text": "x", "flag": true, "count": 3, "ratio": 1.5, "none": nil, "filter": "mean", "list": ["a", "b"],
        "object": ["inner": 1], "objects": [["n": 1], ["n": 2]], "mixed": ["a", 1],
    ])

    @Test("members are read by their types")
    func types() throws {
        #expect(try parameters.string("text") == "x")
        #expect(try parameters.bool("flag"))
        #expect(try parameters.integer("count") == 3)
        #expect(try parameters.number("ratio") == 1.5)
        #expect(try parameters.enumeration("filter", Filter.self) == .mean)
        #expect(try parameters.strings("list") == ["a", "b"])
        #expect(try parameters.array("mixed") == ["a", 1])
        #expect(try parameters.object("object").integer("inner") == 1)
        #expect(try parameters.objects("objects").map { try $0.integer("n") } == [1, 2])
    }

    @Test("an integer is a number, but a number is not an integer")
    func integerAsNumber() throws {
        #expect(try parameters.number("count") == 3)
        #expect(throws: VarlinkError.invalidParameter("ratio")) { try parameters.integer("ratio") }
    }

    @Test(
        "absent and null are the same: nil if optional, an error if required", arguments: ["none", "absent"])
    func absent(name: String) throws {
        #expect(try parameters.optionalString(name) == nil)
        #expect(try parameters.optionalBool(name) == nil)
        #expect(try parameters.optionalInteger(name) == nil)
        #expect(try parameters.optionalNumber(name) == nil)
        #expect(try parameters.optionalEnumeration(name, Filter.self) == nil)
        #expect(try parameters.optionalObject(name) == nil)
        #expect(try parameters.optionalObjects(name) == nil)
        #expect(try parameters.optionalStrings(name) == nil)
        let missing = VarlinkError.invalidParameter(name)
        #expect(throws: missing) { try parameters.string(name) }
        #expect(throws: missing) { try parameters.bool(name) }
        #expect(throws: missing) { try parameters.integer(name) }
        #expect(throws: missing) { try parameters.number(name) }
        #expect(throws: missing) { try parameters.enumeration(name, Filter.self) }
        #expect(throws: missing) { try parameters.object(name) }
        #expect(throws: missing) { try parameters.objects(name) }
        #expect(throws: missing) { try parameters.strings(name) }
        #expect(throws: missing) { try parameters.array(name) }
    }

    @Test("the wrong type is an error even if the member is optional")
    func wrongTypes() {
        #expect(throws: VarlinkError.invalidParameter("count")) { try parameters.optionalString("count") }
        #expect(throws: VarlinkError.invalidParameter("text")) { try parameters.optionalBool("text") }
        #expect(throws: VarlinkError.invalidParameter("flag")) { try parameters.optionalInteger("flag") }
        #expect(throws: VarlinkError.invalidParameter("text")) { try parameters.optionalNumber("text") }
        #expect(throws: VarlinkError.invalidParameter("text")) {
            try parameters.optionalEnumeration("text", Filter.self)
        }
        #expect(throws: VarlinkError.invalidParameter("list")) { try parameters.optionalObject("list") }
        #expect(throws: VarlinkError.invalidParameter("mixed")) { try parameters.optionalObjects("mixed") }
        #expect(throws: VarlinkError.invalidParameter("mixed")) { try parameters.optionalStrings("mixed") }
        #expect(throws: VarlinkError.invalidParameter("object")) { try parameters.optionalArray("object") }
    }

    @Test("an integer out of range is refused, its ends are not")
    func range() throws {
        #expect(try parameters.integer("count", in: 3...3) == 3)
        #expect(throws: VarlinkError.invalidParameter("count")) { try parameters.integer("count", in: 4...9) }
    }

    @Test("an unknown member is refused by its name")
    func allowOnly() throws {
        let parameters = Parameters(["a": 1, "b": nil])
        try parameters.allowOnly("a", "b", "c")
        #expect(throws: VarlinkError.invalidParameter("b")) { try parameters.allowOnly("a") }
        #expect(throws: VarlinkError.invalidParameter("a")) { try parameters.allowOnly() }
        #expect(throws: VarlinkError.invalidParameter("\u{212A}")) {
            try Parameters(["\u{212A}": 1]).allowOnly("K")
        }
    }
}
