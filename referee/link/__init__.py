"""A table's link to a hall: what happens goes out to an MQTT broker, what the hall asks comes in."""
