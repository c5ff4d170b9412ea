"""A cache of big strings and bytes by key, as of rendered pages and their compressed forms."""
import zlib

from stage import ready

cache = {}
for i in range(4000):
    page = ("<li><a href='/item/%d'>item %d of the list</a></li>\n" % (i, i)) * (20 + i % 60)
    cache["page:%d" % i] = page
    cache["gz:%d" % i] = zlib.compress(page.encode(), 1) + bytes((i * k) % 251 for k in range(500))
    if i % 10 == 0:
        cache["wide:%d" % i] = page + "\u20ac"
ready(cache)
