"""Syntax trees of Python source, and code objects: many small objects of many types, as tools for source hold them."""
import ast

from stage import ready

SOURCE = '''
class C%(n)d(Base):
    """Number %(n)d."""
    limit: int = %(n)d

    def method(self, a, b=None, *rest, key="k%(n)d", **more):
        if a > self.limit and not rest:
            return [x * %(n)d for x in b or () if x != a]
        try:
            self.table[a] = {"key": key, "n": len(more) + %(n)d}
        except (KeyError, ValueError) as e:
            raise RuntimeError(f"{a}: {e}") from e
        return None
'''
trees, codes = [], []
for i in range(2500):
    text = SOURCE % {"n": i}
    tree = ast.parse(text)
    codes.append(compile(tree, "c%d.py" % i, "exec"))
    if i % 2 == 0:
        trees.append(tree)
ready(trees, codes)
