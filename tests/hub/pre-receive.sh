#!/bin/sh
# Refuses pushes that GitHub refuses. What the server does not let in, as a test that prepares a repository, passes.
[ -n "$HUB_REASONS" ] || exit 0
zero=0000000000000000000000000000000000000000
bad=0

refuse() {
  printf '%s\t%s\n' "$1" "$2" >>"$HUB_REASONS"
  bad=1
}

while read -r _ new ref; do
  name=${ref#refs/heads/}
  case $name in
  *[!0-9a-f]*) ;;
  *)
    if [ ${#name} -eq 40 ]; then
      echo 'error: GH002: Sorry, branch or tag names consisting of 40 hex characters are not allowed.' >&2
      refuse "$ref" 'pre-receive hook declined'
    fi
    ;;
  esac
  if printf '%s\n' "$HUB_PROTECTED" | grep -qxF "$ref"; then
    echo "error: GH006: Protected branch update failed for $ref." >&2
    echo 'error: Changes must be made through a pull request.' >&2
    refuse "$ref" 'protected branch hook declined'
  fi
  [ "$new" = "$zero" ] && continue
  large=$(git rev-list --objects "$new" --not --all |
    git cat-file --batch-check='%(objecttype) %(objectsize) %(rest)' |
    awk -v most="$HUB_LARGEST" '$1 == "blob" && $2 + 0 > most + 0 { sub(/^blob [0-9]+ /, ""); print; exit }')
  if [ -n "$large" ]; then
    echo 'error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.' >&2
    echo "error: File $large is larger than $HUB_LARGEST bytes; this exceeds GitHub's file size limit of 100.00 MB" >&2
    refuse "$ref" 'pre-receive hook declined'
  fi
  if [ -n "$HUB_NO_WORKFLOWS" ]; then
    workflow=$(git rev-list "$new" --not --all |
      git diff-tree --stdin -r -m --root --no-commit-id --name-only -- .github/workflows | head -n 1)
    if [ -n "$workflow" ]; then
      refuse "$ref" "refusing to allow ${HUB_NO_WORKFLOWS%|*} to create or update workflow \`$workflow\` without ${HUB_NO_WORKFLOWS#*|}"
    fi
  fi
done
exit $bad
