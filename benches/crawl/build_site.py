#!/usr/bin/env python3
"""Builds the site of `cargo xtask bench crawl` out of unpacked Debian documentation packages: HTML only, links as they are.

usage: build_site.py PACKAGES_FOLDER SITE_FOLDER

Pages that no link from an entry page leads to are listed on extra pages, so that a crawler that starts at /index.html
and follows `a` and `area` reaches every page. SITE_FOLDER/../urls.txt holds the paths of all pages.
"""

import os
import shutil
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

HOST = "http://site.invalid"
LIST_LENGTH = 200
HANDBOOK_LANGUAGES = set("en-US de-DE fr-FR ja-JP ru-RU zh-CN ar-MA es-ES pt-BR el-GR".split())
# Folder on the site: package, and the folder in it.
SOURCES = {
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html"),
    "postgres": ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html"),
    "django": ("python-django-doc", "usr/share/doc/python-django-doc/html"),
    "sqlite": ("sqlite3-doc", "usr/share/doc/sqlite3"),
    "git": ("git-doc", "usr/share/doc/git-doc"),
    "glib": ("libglib2.0-doc", "usr/share"),
    "devref": ("developers-reference", "usr/share"),
    "debref": ("debian-reference-en", "usr/share"),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html"),
}


class Links(HTMLParser):
    """The targets of a page's links."""

    def __init__(self):
        super().__init__()
        self.targets, self.base = [], None

    def handle_starttag(self, tag, attributes):
        href = next((value for key, value in attributes if key == "href" and value), None)
        if href and tag in ("a", "area"):
            self.targets.append(href)
        elif href and tag == "base" and self.base is None:
            self.base = href


def copy_pages(packages, site):
    """Copies all HTML files; gives their paths on the site."""
    pages = []
    for name, (package, below) in SOURCES.items():
        root = os.path.join(packages, package, below)
        if not os.path.isdir(root):
            sys.exit(f"{package} has no folder {below}")
        for folder, folders, files in os.walk(root):
            folders.sort()
            relative = os.path.relpath(folder, root)
            if name == "handbook" and relative.split("/")[0] not in HANDBOOK_LANGUAGES | {"."}:
                continue
            for file in sorted(files):
                source = os.path.join(folder, file)
                if not file.endswith(".html") or os.path.islink(source):
                    continue
                if name == "handbook" and relative == ".":
                    continue
                path = "/" + os.path.normpath(os.path.join(name, relative, file))
                os.makedirs(os.path.dirname(site + path), exist_ok=True)
                shutil.copyfile(source, site + path)
                os.chmod(site + path, 0o644)
                pages.append(path)
    return pages


def links_of(site, path, pages):
    """Pages that a page links to."""
    parser = Links()
    with open(site + path, "rb") as file:
        parser.feed(file.read().decode("utf-8", "replace"))
    base = urljoin(HOST + path, parser.base) if parser.base else HOST + path
    found = set()
    for target in parser.targets:
        try:
            url = urlsplit(urldefrag(urljoin(base, target.strip()))[0])
        except ValueError:
            continue
        path = unquote(url.path)
        if path.endswith("/"):
            path += "index.html"
        if f"{url.scheme}://{url.netloc}" == HOST and path in pages:
            found.add(path)
    return found


def write_list(site, path, targets):
    """Writes a page that links to others."""
    items = "".join(f'<li><a href="{target}">{target}</a></li>\n' for target in targets)
    with open(site + path, "w", encoding="utf-8") as file:
        file.write(f"<!DOCTYPE html><html><head><title>{path}</title></head><body><ul>\n{items}</ul></body></html>\n")


def main(packages, site):
    """Builds the site."""
    shutil.rmtree(site, ignore_errors=True)
    os.makedirs(site)
    pages = copy_pages(packages, site)
    known = set(pages)
    links = {path: links_of(site, path, known) for path in pages}
    entries = [path for path in pages if path.endswith("/index.html") and path.count("/") <= 3]
    reached, waiting = set(entries), list(entries)
    while waiting:
        fresh = links[waiting.pop()] - reached
        reached |= fresh
        waiting += fresh
    lost = [path for path in pages if path not in reached]
    lists = []
    for start in range(0, len(lost), LIST_LENGTH):
        lists.append(f"/list{start // LIST_LENGTH}.html")
        write_list(site, lists[-1], lost[start : start + LIST_LENGTH])
    write_list(site, "/index.html", lists + entries)
    everything = ["/index.html", *lists, *pages]
    size = sum(os.path.getsize(site + path) for path in everything)
    with open(os.path.join(os.path.dirname(site), "urls.txt"), "w", encoding="utf-8") as file:
        file.write("".join(path + "\n" for path in everything))
    print(f"{len(everything)} pages, {size / len(everything) / 1000:.1f} KB on average, {len(lost)} only on lists")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2].rstrip("/"))
