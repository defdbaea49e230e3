"""The controller: environments over the fleet, how they are played, and the proof that each is right."""
