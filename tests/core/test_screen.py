from bot.core.screen import screen

LOG = """commit 1111111111
diff --git a/.env b/.env
--- a/.env
+++ b/.env
@@ -1 +1 @@
-KEY=old
+KEY=new
diff --git a/a.py b/a.py
@@ -1 +1 @@
-x
+y
commit 2222222222
diff --git a/conf/.env.test b/conf/.env.test
+KEY=other
commit 3333333333

    subject
"""


def test_a_diff_is_shown_without_the_files_that_hold_secrets() -> None:
    shown = screen(LOG)
    assert "KEY" not in shown
    assert "(not shown: .env is named like a file that holds secrets)" in shown
    assert "\n-x\n+y\n" in shown
    assert "    subject" in shown
    assert "+KEY=other" in screen(LOG, ("conf/.env.test",))
    assert "KEY=new" not in screen(LOG.replace("diff --git a/.env b/.env", "\x1b[1mdiff --git a/.env b/.env\x1b[m"))


def test_a_diff_of_ordinary_files_is_not_changed() -> None:
    plain = LOG.replace(".env.test", "x").replace(".env", "y")
    assert screen(plain) == plain


def test_a_header_is_found_beside_a_graph_and_with_letters_of_other_scripts() -> None:
    drawn = "".join(f"{'* ' if line.startswith('commit') else '| '}{line}\n" for line in LOG.splitlines())
    shown = screen(drawn, drawn=True)
    assert "KEY" not in shown
    assert "| +y\n" in shown
    assert "|     subject" in shown
    quoted = 'diff --git "a/na\\303\\257ve .py" "b/na\\303\\257ve .py"\n+x\n'
    assert screen(quoted) == quoted
    assert "+x" not in screen(quoted.replace(".py", ".pem"))


def test_what_follows_the_diff_of_a_hidden_file_is_shown() -> None:
    short = "abc1234 one\ndiff --git a/.env b/.env\nindex 1..2 100644\n--- a/.env\n@@ -1 +1 @@\n-KEY=a\nabc1235 two\n"
    assert screen(short).endswith("\nabc1235 two\n")
    assert "KEY" not in screen(short)
    assert "two" not in screen(short, worded=True), "without signs there is no telling where it ends"
