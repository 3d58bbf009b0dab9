public import SensorBroker
