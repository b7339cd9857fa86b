#!/usr/bin/env bash
# Imports the results of a load test, holds them against limits and against the last good load test, and leaves
# check.xml (JUnit) and comment.md (Markdown). What every pipeline needs, whoever hosts it: docs/pipelines.md.
#
#   TACHOGRAPH_URL, TACHOGRAPH_KEY   the server, and a key that may read and write
#   LOAD_TEST_FILES                  result files, separated by blanks; patterns are expanded
#   LOAD_TEST_ID                     id of the load test
#   LOAD_TEST_NAME                   what people call it (default: the id)
#   LOAD_TEST_LIMITS                 when to fail, a line each: GET /cart: p95 > 500ms
#   LOAD_TEST_TAG                    tag of the load tests that later ones are held against (default: main); one for each load
#                                    test, where the server keeps those of several
#   LOAD_TEST_IS_BASE                true: tag it so if all limits are kept and its files are whole, as on the main branch
#   LOAD_TEST_FOLDER                 where files are left (default: tachograph)
#
# Other settings of import, compare and check come from their own variables: TACHOGRAPH_SKIP_START=1m.
# Exit codes are those of `tachograph check`: 0 kept, 4 broken or not evaluated; 3 where a file was cut short.
set -euo pipefail

folder=${LOAD_TEST_FOLDER:-tachograph}
mkdir -p "$folder"
# What an earlier run has left would be taken for what this one has found.
rm -f "$folder"/{check.xml,check.md,compare.md,comment.md}

: "${TACHOGRAPH_URL:?address of the server}" "${TACHOGRAPH_KEY:?key for the server}"
: "${LOAD_TEST_FILES:?result files}" "${LOAD_TEST_ID:?id of the load test}"
id=$LOAD_TEST_ID
tag=${LOAD_TEST_TAG:-main}

# The last good one. A job that is run again may have made this one the latest.
tagged=$(tachograph tests list --tag "$tag" --limit 2 --json)
last=$(node -e '
  const [, own, tagged] = process.argv;
  console.log(JSON.parse(tagged).find(({ id }) => id !== own)?.id ?? "");
' -- "$id" "$tagged")

imported=0
# Unquoted on purpose: several files, and patterns.
# shellcheck disable=SC2086
tachograph import --id "$id" --name "${LOAD_TEST_NAME:-$id}" -- $LOAD_TEST_FILES || imported=$?
((imported == 0 || imported == 3)) || exit "$imported"

limits=()
not_held=()
while read -r line; do
  line=${line%$'\r'}
  [[ $line =~ [^[:space:]] ]] || continue
  # Behind the label, which may have the word, too.
  if [[ -z $last && ${line##*:} =~ grows[[:space:]]*\> ]]; then
    not_held+=("$line")
  else
    limits+=(--fail-if "$line")
  fi
done <<<"${LOAD_TEST_LIMITS:-}"

checked=0
if ((${#limits[@]} > 0)); then
  tachograph check ${last:+--against "$last"} "${limits[@]}" \
    --junit "$folder/check.xml" --markdown-file "$folder/check.md" -- "$id" || checked=$?
  ((checked == 0 || checked == 4)) || exit "$checked"
fi
[[ -z $last ]] || tachograph compare --limit 20 --markdown-file "$folder/compare.md" -- "$last" "$id"

{
  # Comments that have this line are this pipeline's.
  echo "<!-- tachograph -->"
  echo "### Load test [$id](${TACHOGRAPH_URL%/}/t/$id)"
  ((imported == 0)) || printf '\nA file was cut short, or rows were rejected: the log says which.\n'
  [[ ! -e $folder/check.md ]] || { echo && cat "$folder/check.md"; }
  for line in ${not_held[@]+"${not_held[@]}"}; do
    printf '\nNot held: `%s`. No load test has the tag `%s` yet.\n' "$line" "$tag"
  done
  [[ ! -e $folder/compare.md ]] || { echo && cat "$folder/compare.md"; }
} >"$folder/comment.md"

if ((checked == 0 && imported == 0)) && [[ ${LOAD_TEST_IS_BASE:-} == true ]]; then
  tachograph tests tag -- "$id" "$tag"
fi
((checked == 0)) || exit "$checked"
exit "$imported"
