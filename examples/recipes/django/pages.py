"""A Django site of one file: pages made of records in memory, by templates.

As a WSGI application ("pages:application") it serves /page/N/ for the recipes
that compare servers. As a program it goes through four stages for the recipe
that compares userlands: it prints the stage, then waits for a line on standard
input, so that it can be measured from outside.
"""
import os
import sys

RECORDS = int(os.environ.get("RECORDS", "2000"))  # held in memory
SHOWN = 60  # on a page


def configure():
    import django
    from django.conf import settings

    settings.configure(
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.humanize",
        ],
        MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.gzip.GZipMiddleware"],
        ROOT_URLCONF=__name__,
        SECRET_KEY="not a secret: this site lives for a minute",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        USE_TZ=True,
    )
    django.setup()


def load(count):
    """Makes records as a site keeps them in its cache: dicts of strings, lists and numbers."""
    authors = ["author %d" % i for i in range(max(count // 50, 1))]
    return [
        {
            "id": i,
            "title": "Entry %d of the list" % i,
            "url": "/page/%d/" % i,
            "author": authors[i % len(authors)],
            "tags": ["tag %d" % (i % 31), "shelf %d" % (i % 7), "row %d" % i],
            "summary": "What is said of entry %d, in a few words, with a number: %d." % (i, i * i),
            "price": i * 0.25,
        }
        for i in range(count)
    ]


records = []
urlpatterns = []
TEMPLATE = """{% load humanize %}<!doctype html><title>{{ first.title }}</title><h1>{{ first.title }}</h1><table>
{% for r in shown %}<tr><td>{{ r.id|intcomma }}<td><a href="{{ r.url }}">{{ r.title }}</a><td>{{ r.author|title }}
<td>{{ r.tags|join:", " }}<td>{{ r.summary|truncatewords:12 }}<td>{{ r.price|floatformat:2 }}
{% endfor %}</table><p>{{ shown|length }} of {{ total }} entries
"""


def route():
    from django.http import Http404, HttpResponse
    from django.template import engines
    from django.urls import path

    template = engines["django"].from_string(TEMPLATE)

    def page(request, number):
        if number >= len(records):
            raise Http404
        shown = [records[(number + i) % len(records)] for i in range(SHOWN)]
        return HttpResponse(template.render({"first": records[number], "shown": shown, "total": len(records)}, request))

    urlpatterns.append(path("page/<int:number>/", page))


def request(number):
    """Serves a page within this process and checks it."""
    from django.test import RequestFactory
    from django.urls import resolve

    match = resolve("/page/%d/" % number)
    response = match.func(RequestFactory().get("/page/%d/" % number), **match.kwargs)
    if response.status_code != 200 or b"Entry %d of" % number not in response.content:
        raise SystemExit("page %d is wrong: status %d" % (number, response.status_code))


def stage(name):
    print(name, flush=True)
    if not sys.stdin.readline():
        raise SystemExit("standard input ended")


def main():
    sys.modules["pages"] = sys.modules["__main__"]
    stage("python")
    configure()
    route()
    stage("django")
    records.extend(load(RECORDS))
    stage("data")
    for number in range(0, RECORDS, max(RECORDS // 400, 1)):
        request(number)
    stage("requests")


if __name__ == "__main__":
    main()
else:
    from django.core.wsgi import get_wsgi_application

    configure()
    route()
    records.extend(load(RECORDS))
    application = get_wsgi_application()
