# noqa: INP001 - no package, but a script
"""Draws the pictures of this folder: what git agent writes on GitHub, as GitHub's own renderer and style sheet show it.

Needs no network, but tools that are no dependency of this project: `pip install cmarkgfm pillow`, `npm install
github-markdown-css`, Chromium and pngquant. From the top of the repository:

    python -m docs.images.render NODE_MODULES
"""

import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from PIL import Image, ImageChops

from tests.core.publication import samples

HERE = Path(__file__).parent
WIDTH = 900
TALLEST = 6_000
SHOWN = 2_000
"""Rows of dots of the longest page that are kept."""
PAGE = """<!doctype html><meta charset="utf-8"><style>{style}
body {{ margin: 0; padding: 24px; background: white }} .markdown-body {{ font-family: "Liberation Sans", sans-serif }}
h1.title {{ font: 400 26px "Liberation Sans"; margin: 0 0 16px }}
</style>{title}<article class="markdown-body">{body}</article>"""
ALERT = re.compile(r"<blockquote>\s*<p>\[!(NOTE|WARNING|CAUTION)\]\s*(?:<br />)?\s*(.*?)</blockquote>", re.DOTALL)
TASK = re.compile(r"<li>\s*<input")


def to_html(markdown: str) -> str:
    """Render as GitHub does; its frames around what is to be noticed are not part of the renderer."""
    options = Options.CMARK_OPT_GITHUB_PRE_LANG | Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS
    body = cmarkgfm.github_flavored_markdown_to_html(markdown, options)
    body = ALERT.sub(_frame, body)
    return TASK.sub('<li class="task-list-item"><input class="task-list-item-checkbox"', body)


def _frame(found: re.Match[str]) -> str:
    kind = found[1].lower()
    return (
        f'<div class="markdown-alert markdown-alert-{kind}"><p class="markdown-alert-title">{kind.capitalize()}</p>'
        f"<p>{found[2]}</div>"
    )


def shoot(page: str, target: Path) -> None:
    """Have a browser draw a page, cut to what is on it."""
    with tempfile.TemporaryDirectory() as folder:
        source, drawn = Path(folder, "page.html"), Path(folder, "page.png")
        source.write_text(page)
        argv = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        argv += [f"--window-size={WIDTH},{TALLEST}", f"--user-data-dir={folder}/profile", f"--screenshot={drawn}"]
        subprocess.run([*argv, source.as_uri()], check=True, capture_output=True, timeout=120)
        picture = Image.open(drawn).convert("RGB")
        bottom = ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox()
        picture.crop((0, 0, WIDTH, min(SHOWN, (bottom[3] if bottom else 100) + 24))).save(target)
        subprocess.run(["pngquant", "--force", "--strip", "--output", target, "40", target], check=True)


def main(modules: Path) -> None:
    """Draw each picture."""
    style = (modules / "github-markdown-css/github-markdown-light.css").read_text()
    for name, (title, markdown) in samples.pages().items():
        head = f'<h1 class="title">{html.escape(title)}</h1>' if title else ""
        shoot(PAGE.format(style=style, title=head, body=to_html(markdown)), HERE / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
