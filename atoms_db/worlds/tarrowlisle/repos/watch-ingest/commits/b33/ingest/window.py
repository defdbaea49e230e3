import json
from collections import deque


class Window:
    """The last values of a point, kept on disk. An alarm needs `need` values over the threshold within `minutes`."""

    def __init__(self, path, need=3, minutes=15):
        self.path, self.need, self.minutes = path, need, minutes
        self.values = deque(json.loads(path.read_text()) if path.exists() else [])

    def add(self, at, value):
        self.values.append((at.timestamp(), value))
        while self.values and at.timestamp() - self.values[0][0] > self.minutes * 60:
            self.values.popleft()
        self.path.write_text(json.dumps(list(self.values)))

    def over(self, threshold):
        values = [value for _, value in self.values][-self.need:]
        return len(values) == self.need and all(value > threshold for value in values)
