"""Training: what the fleet hands to trainers, as files (`legoenv export`) and as adapters to their interfaces."""
