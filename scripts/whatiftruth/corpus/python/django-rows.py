"""Django with settings, templates and SQLite, and 60,000 rows shaped like pages of a site (calibration)."""
import site_setup
from stage import ready

client, page = site_setup.start()
rows = []
for i in range(60000):
    rows.append({"id": 1000000 + i, "title": "page number %d of the site" % i, "url": "/section/%d/page-%d/" % (i % 97, i),
                 "body": "<p>%s</p>" % ("lorem ipsum %d " % i * 4), "slug": "page-%d" % i,
                 "tags": ["tag%d" % (i % 50), "t%d" % i, "common"], "price": i * 0.37})
index = {r["url"]: r for r in rows}
from django.contrib.auth.models import User

User.objects.bulk_create([User(username="u%d" % i, email="u%d@example.org" % i) for i in range(2000)])
users = list(User.objects.all())
html = [page.render({"title": "p%d" % j, "rows": rows[j * 20:j * 20 + 20]}) for j in range(100)]
assert client.get("/").status_code == 200
ready(rows, index, users, html)
