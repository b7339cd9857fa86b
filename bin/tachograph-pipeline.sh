#!/usr/bin/env bash
# Imports the results of a load test, holds them against limits and against the last good load test, and leaves
# check.xml (JUnit) and comment.md (Markdown). What every pipeline needs, whoever hosts it: docs/pipelines.md.
#
#   TACHOGRAPH_URL, TACHOGRAPH_KEY   the server, and a key that may read and write
#   LOAD_TEST_FILES                  result files, separated by blanks; patterns are expanded
#   LOAD_TEST_ID                     id of the load test
#   LOAD_TEST_NAME                   what people call it (default: the id)
#   LOAD_TEST_LIMITS                 when to fail, a line each: GET /cart: p95 > 500ms
#   LOAD_TEST_TAG                    tag of the load tests that later ones are held against (default: main)
#   LOAD_TEST_IS_BASE                true: tag it so if all limits are kept, as on the main branch
#   LOAD_TEST_FOLDER                 where files are left (default: tachograph)
#
# Other settings of import, compare and check come from their own variables: TACHOGRAPH_SKIP_START=1m.
# Exit codes are those of `tachograph check`: 0 kept, 4 broken; 3 where a file was cut short.
set -euo pipefail

: "${TACHOGRAPH_URL:?address of the server}" "${TACHOGRAPH_KEY:?key for the server}"
: "${LOAD_TEST_FILES:?result files}" "${LOAD_TEST_ID:?id of the load test}"
id=$LOAD_TEST_ID
tag=${LOAD_TEST_TAG:-main}
folder=${LOAD_TEST_FOLDER:-tachograph}
mkdir -p "$folder"

first_id() {
  node -e 'let text = ""; process.stdin.on("data", (piece) => (text += piece)).on("end", () => console.log(JSON.parse(text)[0]?.id ?? ""))'
}

# The last good one, as it was before this one came.
last=$(tachograph tests list --tag "$tag" --limit 1 --json | first_id)
[[ $last != "$id" ]] || last=

imported=0
# Unquoted on purpose: several files, and patterns.
# shellcheck disable=SC2086
tachograph import $LOAD_TEST_FILES --id "$id" --name "${LOAD_TEST_NAME:-$id}" || imported=$?
((imported == 0 || imported == 3)) || exit "$imported"

limits=()
not_held=()
while IFS= read -r line; do
  [[ $line =~ [^[:space:]] ]] || continue
  if [[ -z $last && $line =~ grows[[:space:]]*\> ]]; then
    not_held+=("$line")
  else
    limits+=(--fail-if "$line")
  fi
done <<<"${LOAD_TEST_LIMITS:-}"

checked=0
if ((${#limits[@]} > 0)); then
  tachograph check "$id" ${last:+--against "$last"} "${limits[@]}" \
    --junit "$folder/check.xml" --markdown-file "$folder/check.md" || checked=$?
  ((checked == 0 || checked == 4)) || exit "$checked"
fi
[[ -z $last ]] || tachograph compare "$last" "$id" --limit 20 --markdown-file "$folder/compare.md"

{
  echo "### Load test [$id](${TACHOGRAPH_URL%/}/t/$id)"
  ((imported == 0)) || printf '\nA file was cut short, or rows were rejected: the log says which.\n'
  [[ ! -e $folder/check.md ]] || { echo && cat "$folder/check.md"; }
  for line in ${not_held[@]+"${not_held[@]}"}; do
    printf '\nNot held: `%s`. No load test has the tag `%s` yet.\n' "$line" "$tag"
  done
  [[ ! -e $folder/compare.md ]] || { echo && cat "$folder/compare.md"; }
} >"$folder/comment.md"

if ((checked == 0)) && [[ ${LOAD_TEST_IS_BASE:-} == true ]]; then
  tachograph tests tag "$id" "$tag"
fi
((checked == 0)) || exit "$checked"
exit "$imported"
