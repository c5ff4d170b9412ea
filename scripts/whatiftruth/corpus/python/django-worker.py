"""A Django worker after some requests: the framework itself, the admin, forms, sessions and objects of the ORM, with
few rows of its own. No part of the calibration."""
import site_setup
from stage import ready

client, page = site_setup.start()
from django.contrib.auth.models import Group, Permission, User

admin = User.objects.create_superuser("root", "root@example.org", "secret")
client.force_login(admin)
groups = [Group.objects.create(name="group %d" % i) for i in range(200)]
User.objects.bulk_create([User(username="name%d" % i, first_name="Anna %d" % i, email="a%d@example.org" % i) for i in range(4000)])
for path in ("/", "/admin/", "/admin/auth/user/", "/admin/auth/user/7/change/", "/admin/auth/group/", "/admin/auth/group/3/change/"):
    assert client.get(path).status_code == 200, path
users = list(User.objects.order_by("username"))
pages = [page.render({"title": "users", "rows": [{"url": "/u/%d" % u.pk, "title": u.username, "tags": ["x"], "price": u.pk}
                                                 for u in users[k:k + 40]]}) for k in range(0, 4000, 40)]
ready(users, groups, pages, list(Permission.objects.all()))
