"""Values in, alarms out."""
