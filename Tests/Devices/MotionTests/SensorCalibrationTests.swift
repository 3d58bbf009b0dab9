import Motion
import Testing

@Suite struct SensorCalibrationTests {
    private let offset = Vector3(x: 30, y: -20, z: 10)

    @Test("the offset is subtracted before the matrix multiplies")
    func order() throws {
        let matrix = try #require(Matrix3(rows: [1, 0.1, 0, 0, 1.2, 0, 0, 0, 0.9]))
        let calibration = try #require(SensorCalibration(offset: offset, matrix: matrix, error: 1, utcSeconds: 0))
        let corrected = calibration.correct(Vector3(x: 40, y: -10, z: 20))
        #expect((corrected - Vector3(x: 11, y: 12, z: 9)).length < 1e-12)
        #expect(matrix.rows == [1, 0.1, 0, 0, 1.2, 0, 0, 0, 0.9])
    }

    @Test("without a matrix, only the offset counts")
    func offsetAlone() throws {
        let calibration = try #require(SensorCalibration(offset: offset, error: 0, utcSeconds: 1_800_000_000))
        #expect(calibration.correct(offset) == .zero)
    }

    @Test(
        "a matrix that loses or mirrors a direction, or holds no numbers, is none",
        arguments: [
            [0, 0, 0, 0, 1, 0, 0, 0, 1], [-1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0, 0, 0, 1],
            [1, 0, 0, 0, 1, 0, 0, 0, .nan], [1, 0, .infinity, 0, 1, 0, 0, 0, 1], [2, 0, 0, 0, 2, 0, 0, 0, 2],
        ])
    func impossibleMatrix(rows: [Double]) throws {
        let matrix = try #require(Matrix3(rows: rows))
        #expect(SensorCalibration(offset: offset, matrix: matrix, error: 1, utcSeconds: 0) == nil)
    }

    @Test("nothing is calibrated by what is no number, or no sensor's")
    func impossibleNumbers() {
        #expect(SensorCalibration(offset: Vector3(x: .nan, y: 0, z: 0), error: 1, utcSeconds: 0) == nil)
        #expect(SensorCalibration(offset: Vector3(x: 0, y: 2e6, z: 0), error: 1, utcSeconds: 0) == nil)
        #expect(SensorCalibration(offset: offset, error: -1, utcSeconds: 0) == nil)
        #expect(SensorCalibration(offset: offset, error: .infinity, utcSeconds: 0) == nil)
        #expect(SensorCalibration(offset: offset, error: 1, utcSeconds: -1) == nil)
        #expect(SensorCalibration(offset: offset, error: 1, utcSeconds: .max) == nil)
        #expect(SensorCalibration(offset: offset, error: 1, utcSeconds: 0, celsius: .nan) == nil)
        #expect(SensorCalibration(offset: offset, error: 1, utcSeconds: 0, celsius: -300) == nil)
        #expect(SensorCalibration(offset: offset, error: 1, utcSeconds: 0, celsius: 20) != nil)
        #expect(Matrix3(rows: [1, 2, 3]) == nil)
    }
}
