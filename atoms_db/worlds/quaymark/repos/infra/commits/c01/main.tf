terraform {
  required_version = ">= 1.7"
}

module "database" {
  source              = "./modules/database"
  name                = "rates"
  snapshot_every_hours = 6
}
