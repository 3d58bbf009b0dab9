"""Puts what sensorbroker-mqtt sends into PostgreSQL: a message is acknowledged after it is committed or set aside, and nothing stops it.

A message's way: `server` (its bytes, from MQTT) > `message` (what it says, or why it is set aside) > `writer` (groups, one transaction
each; a group that the database refuses is divided) > `store` (the transaction). Beside it the `keeper` makes partitions, asks for what is
missing, and puts times right.
"""
