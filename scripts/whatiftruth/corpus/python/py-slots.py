"""Objects of classes with __slots__, beside some with an ordinary __dict__, linked with each other."""
from stage import ready


class Point:
    __slots__ = ("x", "y", "label", "next")

    def __init__(self, x, y, label, next):
        self.x, self.y, self.label, self.next = x, y, label, next


class Account:
    def __init__(self, number, owner):
        self.number, self.owner, self.history, self.total = number, owner, (), 0.0


points, accounts, last = [], [], None
for i in range(150000):
    last = Point(i, i * 0.5, "p%d" % i, last)
    points.append(last)
for i in range(40000):
    a = Account(100000 + i, points[i])
    a.history = tuple((j, j * i) for j in range(i % 4))
    accounts.append(a)
ready(points, accounts)
