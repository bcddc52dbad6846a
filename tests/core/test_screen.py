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
