"""Apps as containers: images, containers of one engine, manifests for many machines, episodes that span containers."""
