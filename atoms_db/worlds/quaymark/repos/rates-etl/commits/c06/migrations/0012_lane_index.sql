CREATE INDEX lane_by_pair ON lane (origin, destination);
