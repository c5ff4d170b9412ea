"""A document of ElementTree: elements with attributes, texts and children."""
import xml.etree.ElementTree as et

import stage

root = et.Element("library")
for i in range(40000):
    book = et.SubElement(root, "book", id=str(i), shelf="s%d" % (i % 40))
    et.SubElement(book, "title").text = "On the number %d and what follows" % i
    et.SubElement(book, "author").text = "Author %d" % (i % 900)
    if i % 3 == 0:
        et.SubElement(book, "note", lang="en").text = "n" * (i % 60)
doc = et.fromstring(et.tostring(root))
del root
stage.ready(doc)
