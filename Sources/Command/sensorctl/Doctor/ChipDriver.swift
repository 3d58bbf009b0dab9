/// A driver of sensors on an I²C bus, and how the kernel comes by it.
struct ChipDriver {
    /// The kernel's module.
    let module: String
    /// The names of its chips on the bus: those in a device tree, without the vendor.
    let chips: [String]
    /// The overlays of Raspberry Pi OS that declare some of them; each ends with the name of its chip.
    private let overlays: [String]

    private init(_ module: String, _ chips: String, overlays: [String] = []) {
        self.module = module
        self.chips = chips.split(separator: " ").map(String.init)
        self.overlays = overlays
    }

    /// The driver of a chip; nil for one that is no sensor, or is not known.
    static func of(_ chip: String) -> Self? { all.first { $0.chips.contains(chip) } }

    /// What declares a chip in `config.txt` of a Raspberry Pi; nil if there is no such overlay.
    func overlay(of chip: String) -> String? {
        overlays.first { $0.split(separator: ",").last.map(String.init) == chip }
    }

    /// The drivers whose chips measure what the broker serves.
    static let all = [
        // Motion
        Self(
            "inv-mpu6050-i2c",
            "mpu6050 mpu6500 mpu6515 mpu6880 mpu9150 mpu9250 mpu9255 icm20602 icm20608 icm20608d icm20609 icm20689 icm20690 iam20680",
            overlays: ["i2c-sensor,mpu6050", "i2c-sensor,mpu9250"]),
        Self("bno055_i2c", "bno055", overlays: ["i2c-sensor,bno055"]),
        Self("bmi160_i2c", "bmi160"),
        Self(
            "st_lsm6dsx_i2c",
            "lsm6ds3 lsm6ds3h lsm6ds3tr-c lsm6dsl lsm6dsm lsm6dso lsm6dsop lsm6dsox lsm6dsr lsm6dsrx lsm6dst lsm6dstx "
                + "ism330dlc ism330dhcx lsm9ds1-imu lsm6ds0 asm330lhh asm330lhhx"),
        Self("adxl345_i2c", "adxl345 adxl375"),
        Self(
            "st_accel_i2c",
            "lis3dh lis2dw12 lis2de12 lis2hh12 lis3de lis302dl lis331dlh lis2dh12_accel lsm303agr_accel lsm303dlh_accel "
                + "lsm303dlhc_accel lsm303dlm_accel sc7a20"),
        Self("st_gyro_i2c", "l3gd20 l3gd20h l3g4200d lsm9ds0_gyro"),
        Self("st_magn_i2c", "lis3mdl lis2mdl iis2mdc lsm9ds1_magn lsm303agr_magn lsm303dlh_magn lsm303dlhc_magn"),
        Self("bmc150-accel-i2c", "bma250e bma253 bma254 bma255 bma280 bmc150_accel bmc156_accel bmi055_accel"),
        Self("bmg160_i2c", "bmg160 bmi055_gyro bmi088_gyro"),
        Self("bmc150_magn_i2c", "bmc150_magn bmc156_magn bmm150_magn"),
        Self("mma8452", "mma8451 mma8452 mma8453 mma8652 mma8653 fxls8471"),
        Self("kxcjk-1013", "kxcjk1013 kxcj91008 kxtj21009 kxtf9 kx023-1025"),
        Self("hmc5843_i2c", "hmc5843 hmc5883 hmc5883l hmc5983"),
        Self("ak8975", "ak8975 ak8963 ak09911 ak09912 ak09916"),
        // Air
        Self(
            "bmp280-i2c", "bmp085 bmp180 bmp280 bme280 bmp380",
            overlays: ["bmp085", "bmp180", "bmp280", "bme280", "bmp380"].map { "i2c-sensor,\($0)" }),
        Self("bme680_i2c", "bme680", overlays: ["i2c-sensor,bme680"]),
        Self("st_pressure_i2c", "lps22hb lps22hh lps22df lps25h lps33hw lps35hw lps331ap"),
        Self("ms5637", "ms5637 ms5805 ms5837", overlays: ["ms5637", "ms5805", "ms5837"].map { "i2c-sensor,\($0)" }),
        Self("dps310", "dps310"),
        Self("htu21", "htu21", overlays: ["i2c-sensor,htu21"]),
        Self("si7020", "si7020", overlays: ["i2c-sensor,si7020"]),
        Self("hdc100x", "hdc100x hdc1000 hdc1008 hdc1010 hdc1050 hdc1080", overlays: ["i2c-sensor,hdc100x"]),
        Self("ccs811", "ccs811", overlays: ["i2c-sensor,ccs811"]),
        Self("sgp30", "sgp30 sgpc3", overlays: ["i2c-sensor,sgp30"]),
        Self("sps30_i2c", "sps30", overlays: ["i2c-sensor,sps30"]),
        Self("scd4x", "scd40 scd41"),
        Self("mlx90614", "mlx90614"),
        Self("mlx90632", "mlx90632"),
        // Light and nearness
        Self("bh1750", "bh1710 bh1715 bh1721 bh1750 bh1751", overlays: ["i2c-sensor,bh1750"]),
        Self("tsl2563", "tsl2560 tsl2561 tsl2562 tsl2563"),
        Self("tsl4531", "tsl4531", overlays: ["i2c-sensor,tsl4531"]),
        Self("opt3001", "opt3001"),
        Self("veml6030", "veml6030"),
        Self("veml6070", "veml6070", overlays: ["i2c-sensor,veml6070"]),
        Self("apds9960", "apds9960", overlays: ["apds9960"]),
        Self("vcnl4000", "vcnl4000 vcnl4010 vcnl4020 vcnl4040 vcnl4200"),
        Self("ltr501", "ltr301 ltr303 ltr501 ltr559"),
        Self("vl53l0x-i2c", "vl53l0x"),
        Self("vl6180", "vl6180"),
        // Voltages
        Self("ti-ads1015", "ads1015 ads1115 tla2024", overlays: ["ads1015", "ads1115"]),
        Self("mcp3422", "mcp3421 mcp3422 mcp3423 mcp3424 mcp3425 mcp3426 mcp3427 mcp3428"),
        Self("ina2xx-adc", "ina219 ina220 ina226 ina230 ina231"),
    ]
}
