"""An SQLite database in memory, from Python, with an index and some rows kept as tuples."""
import sqlite3

from stage import ready

db = sqlite3.connect(":memory:")
db.execute("create table item (id integer primary key, name text, price real, stock integer, note blob)")
db.executemany("insert into item values (?, ?, ?, ?, ?)",
               ((i, "item number %d" % i, i * 0.1, i * 7 % 500, b"\x01\x02\x03" * (i % 30)) for i in range(150000)))
db.execute("create index by_name on item (name)")
db.commit()
rows = db.execute("select id, name, price from item where id % 5 = 0").fetchall()
ready(db, rows)
