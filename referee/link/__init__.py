"""A table's link to a hall: it publishes events to an MQTT broker and receives the hall's commands."""
