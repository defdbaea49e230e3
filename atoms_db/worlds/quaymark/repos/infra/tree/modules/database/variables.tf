variable "name" {
  type = string
}

variable "snapshot_every_hours" {
  type        = number
  default     = 6
  description = "Hourly snapshots cost about six times the default."
}
