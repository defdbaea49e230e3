resource "nimbus_alert" "rates_pool" {
  name      = "rates connection pool"
  metric    = "pool_in_use_ratio"
  above     = 0.8
  for       = "2m"
  notify    = ["oncall"]
}
