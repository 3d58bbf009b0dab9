import Testing

@testable import Devices

@Suite struct MountMatrixTests {
    @Test("the matrix is applied from the left, row by row")
    func applies() throws {
        let matrix = try MountMatrix(text: "0, 1, 0; -1, 0, 0; 0, 0, -1")
        #expect(matrix.applied(to: [3, 4, 5]) == [4, -3, -5])
    }

    @Test("an empty text is the identity", arguments: ["", " ", "1, 0, 0; 0, 1, 0; 0, 0, 1", "1,0,0;0,1,0;0,0,1.0"])
    func identity(text: String) throws { #expect(try MountMatrix(text: text) == .identity) }

    @Test(
        "a text that is not a usable matrix is refused with the reason",
        arguments: [
            ("0, 0, 0; 0, 1, 0; 0, 0, 1", "row 1 has the length 0 "), ("2, 0, 0; 0, 1, 0; 0, 0, 1", "length 2 "),
            ("1, 0, 0; 0, 1, 0; 0, 0, 0.5", "row 3 has the length 0.5 "),
            ("1, 0, 0; 0, 0.97, 0; 0, 0, 1", "row 2 has the length 0.97 "),
            // As in udev's hardware database for two boards.
            ("1, 0, 0; 0, -1, 0; 1, 0, 0", "rows 1 and 3 are not at right angles"),
            ("0,1,0;-1,0,0;-1,0,0", "rows 2 and 3 are not at right angles"),
            ("1, 0, 0; 0.1, 0.995, 0; 0, 0, 1", "rows 1 and 2 are not at right angles"),
            ("1, 0, 0; 0, 1, 0", "2 rows"),
            ("1, 0; 0, 1, 0; 0, 0, 1", "2 values"),
            ("1, 0, nan; 0, 1, 0; 0, 0, 1", "nan"), ("1, 0, inf; 0, 1, 0; 0, 0, 1", "inf"),
            ("1, 0, 1e9; 0, 1, 0; 0, 0, 1", "1e9"), ("1, 0, x; 0, 1, 0; 0, 0, 1", "x"),
            ("1, 0, ; 0, 1, 0; 0, 0, 1", "usable"),
            ("1,0, 0, 0; 0, 1, 0; 0, 0, 1", "4 values"), ("1, 0, 0; 0, 1, 0; 0, 0, 1;", "4 rows"),
        ])
    func refuses(text: String, words: String) {
        let refusal = #expect(throws: MountMatrix.Refusal.self) { try MountMatrix(text: text) }
        #expect(refusal?.words.contains(words) == true)
    }

    @Test(
        "a rotation or reflection is accepted, with the few digits that drivers write",
        arguments: [
            "-1, 0, 0; 0, 1, 0; 0, 0, 1", "0, 1, 0; 1, 0, 0; 0, 0, 1", "0.7, 0.7, 0; -0.7, 0.7, 0; 0, 0, -1",
            "0.87, 0.5, 0; -0.5, 0.87, 0; 0, 0, 1",
            "0.66667, 0.66667, -0.33333; -0.33333, 0.66667, 0.66667; 0.66667, -0.33333, 0.66667",
        ])
    func rigid(text: String) throws { _ = try MountMatrix(text: text) }

    @Test(
        "is formatted so that it can be parsed again",
        arguments: [
            "0, 1, 0; -1, 0, 0; 0, 0, -1", "1, 0, 0; 0, 1, 0; 0, 0, 1", "0.6, 0.8, 0; 0.8, -0.6, 1e-05; 0, 0, 1",
        ])
    func written(text: String) throws {
        let matrix = try MountMatrix(text: text)
        #expect(matrix.description == text)
        #expect(try MountMatrix(text: matrix.description) == matrix)
    }
}
