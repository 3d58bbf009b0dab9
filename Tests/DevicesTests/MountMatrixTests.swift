import Testing

@testable import Devices

@Suite struct MountMatrixTests {
    @Test("the matrix is applied from the left, row by row")
    func applies() throws {
        let matrix = try MountMatrix(text: "0, 1, 0; -1, 0, 0; 0, 0, 2.5")
        #expect(matrix.applied(to: [3, 4, 5]) == [4, -3, 12.5])
    }

    @Test("an empty text is the identity", arguments: ["", " ", "1, 0, 0; 0, 1, 0; 0, 0, 1", "1,0,0;0,1,0;0,0,1.0"])
    func identity(text: String) throws { #expect(try MountMatrix(text: text) == .identity) }

    @Test(
        "a text that is no usable matrix is refused, saying what is wrong",
        arguments: [
            ("0, 0, 0; 0, 1, 0; 0, 0, 1", "all zero"), ("1, 0, 0; 0, 1, 0", "2 rows"),
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
        "is written as it can be read again",
        arguments: ["0, 1, 0; -1, 0, 0; 0, 0, 2.5", "1, 0, 0; 0, 1, 0; 0, 0, 1", "0.1, 1e-05, 0; 0, 1, 0; 0, 0, 999"])
    func written(text: String) throws {
        let matrix = try MountMatrix(text: text)
        #expect(matrix.description == text)
        #expect(try MountMatrix(text: matrix.description) == matrix)
    }
}
