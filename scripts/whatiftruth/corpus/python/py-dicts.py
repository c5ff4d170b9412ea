"""A list of dicts, as json.load or a database cursor gives them."""
from stage import ready

rows = []
for i in range(60000):
    rows.append({"id": i, "name": "customer %d" % i, "city": "town %d" % (i % 400), "balance": i * 1.25, "open": i % 3 == 0,
                 "orders": [i * 7 % 1000, i * 11 % 1000], "mail": None if i % 4 else "c%d@example.org" % i})
ready(rows)
