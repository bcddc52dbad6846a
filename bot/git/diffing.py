"""What keeps a difference between trees from depending on anything but the trees."""

PLAIN = (
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--submodule=short",
    # Else a setting, or the project's own .gitmodules, could have git leave a submodule out of the list
    "--ignore-submodules=none",
)
"""What keeps a difference from depending on anybody's settings; of an option given twice the last one counts."""
SETTINGS = (
    ("core.quotePath", "false"),
    ("core.bigFileThreshold", "512m"),
    # It could say what it likes of a commit's tree
    ("core.commitGraph", "false"),
    ("diff.suppressBlankEmpty", "false"),
)
