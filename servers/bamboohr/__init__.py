"""BambooHR: employees and their effective-dated job, pay and status, time off, files, reports, goals, training and hiring."""
