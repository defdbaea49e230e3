from collections import deque


class Window:
    """The last values of a point. An alarm needs `need` values over the threshold within `minutes`."""

    def __init__(self, need=3, minutes=15):
        self.need, self.minutes = need, minutes
        self.values = deque()

    def add(self, at, value):
        self.values.append((at, value))
        while self.values and (at - self.values[0][0]).total_seconds() > self.minutes * 60:
            self.values.popleft()

    def over(self, threshold):
        values = [value for _, value in self.values]
        return bool(values) and all(value > threshold for value in values[-self.need:])
