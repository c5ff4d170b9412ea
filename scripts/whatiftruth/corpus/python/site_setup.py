"""A small Django site in one module: settings, two urls, a template, a database in memory."""
import django
from django.conf import settings


def start():
    """Returns a test client and a template."""
    settings.configure(
        SECRET_KEY="k" * 40, USE_TZ=True, ROOT_URLCONF="site_setup", ALLOWED_HOSTS=["*"], STATIC_URL="/static/",
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=["django.contrib." + a for a in ("admin", "auth", "contenttypes", "sessions", "messages", "humanize")],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
                    "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                    "django.contrib.messages.middleware.MessageMiddleware"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                    "OPTIONS": {"context_processors": ["django.template.context_processors.request",
                                                       "django.contrib.auth.context_processors.auth",
                                                       "django.contrib.messages.context_processors.messages"]}}])
    django.setup()
    from django.core.management import call_command
    from django.http import HttpResponse
    from django.template import engines
    from django.test import Client
    from django.urls import path
    from django.contrib import admin

    page = engines["django"].from_string(
        "<html><h1>{{ title }}</h1><ul>{% for r in rows %}<li><a href='{{ r.url }}'>{{ r.title|title }}</a>"
        " {{ r.tags|join:', ' }} {{ r.price|floatformat:2 }}</li>{% endfor %}</ul></html>")

    def index(request):
        return HttpResponse(page.render({"title": "index", "rows": []}, request))

    globals()["urlpatterns"] = [path("", index), path("admin/", admin.site.urls)]
    call_command("migrate", verbosity=0, run_syncdb=True)
    return Client(), page
