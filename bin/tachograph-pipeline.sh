#!/usr/bin/env bash
# Imports the results of a load test, checks thresholds, compares with the last good run, and writes check.xml (JUnit) and
# comment.md (Markdown). For any CI system: docs/pipelines.md.
#
#   TACHOGRAPH_URL, TACHOGRAPH_KEY   the server, and a key with the scopes read and write
#   LOAD_TEST_FILES                  result files, separated by spaces; glob patterns are expanded
#   LOAD_TEST_ID                     id of the run
#   LOAD_TEST_NAME                   name of the test, the same for all its runs (default: the id)
#   LOAD_TEST_TAGS                   tags of the run, separated by blanks, such as its commit
#   LOAD_TEST_LIMITS                 thresholds, one per line: GET /cart: p95 > 500ms (default: those kept for the name)
#   LOAD_TEST_TAG                    tag of the runs that later runs are compared with (default: main); one per test
#   LOAD_TEST_IS_BASE                true: add the tag if all thresholds pass and all rows were read, as on the main branch
#   LOAD_TEST_FOLDER                 output folder (default: tachograph)
#
# Other settings of import, compare and check have variables of their own: TACHOGRAPH_SKIP_START=1m,
# TACHOGRAPH_THRESHOLDS=thresholds.yaml, TACHOGRAPH_ALLOW_REJECTED=0.1% (rows that may be unreadable).
# Exit codes are those of `tachograph check`: 0 passed, 4 failed or not evaluated; 3 if a file was truncated or a row was not read.
set -euo pipefail

folder=${LOAD_TEST_FOLDER:-tachograph}
mkdir -p "$folder"
# Remove output of an earlier job: it would look like this one's.
rm -f "$folder"/{check.xml,check.md,compare.md,comment.md}

: "${TACHOGRAPH_URL:?address of the server}" "${TACHOGRAPH_KEY:?key for the server}"
: "${LOAD_TEST_FILES:?result files}" "${LOAD_TEST_ID:?id of the load test}"
id=$LOAD_TEST_ID
name=${LOAD_TEST_NAME:-$id}
tag=${LOAD_TEST_TAG:-main}

# The last good run. If a job is repeated, the latest may be this one.
tagged=$(tachograph tests list --tag "$tag" --limit 2 --json)
last=$(node -e '
  const [, own, tagged] = process.argv;
  console.log(JSON.parse(tagged).find(({ id }) => id !== own)?.id ?? "");
' -- "$id" "$tagged")

# What GitHub and GitLab say of the job.
described=()
describe() { [[ -z $3 ]] || described+=("$1" "$2=${3:0:500}"); }
describe --property commit "${GITHUB_SHA:-${CI_COMMIT_SHA:-}}"
describe --property branch "${GITHUB_HEAD_REF:-${GITHUB_REF_NAME:-${CI_COMMIT_REF_NAME:-}}}"
describe --property environment "${CI_ENVIRONMENT_NAME:-}"
version=${CI_COMMIT_TAG:-}
[[ ${GITHUB_REF_TYPE:-} != tag ]] || version=${GITHUB_REF_NAME:-}
describe --property version "$version"
build=${CI_PIPELINE_URL:-}
[[ -z ${GITHUB_RUN_ID:-} ]] || build=${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
describe --link build "$build"

imported=0
# Unquoted on purpose: several files, and patterns.
# shellcheck disable=SC2086
tachograph import --strict --id "$id" --name "$name" \
  ${described[@]+"${described[@]}"} -- $LOAD_TEST_FILES || imported=$?
((imported == 0 || imported == 3)) || exit "$imported"

tags=()
for each in ${LOAD_TEST_TAGS:-}; do
  each=${each//,/_}
  tags+=("${each:0:64}")
done
((${#tags[@]} == 0)) || tachograph tests tag -- "$id" "${tags[@]}"

limits=()
not_evaluated=()
while read -r line; do
  line=${line%$'\r'}
  [[ $line =~ [^[:space:]] ]] || continue
  # After the label, which may contain the word.
  if [[ -z $last && ${line##*:} =~ (grows|falls)[[:space:]]*\> ]]; then
    not_evaluated+=("$line")
  else
    limits+=(--fail-if "$line")
  fi
done <<<"${LOAD_TEST_LIMITS:-}"

given=${LOAD_TEST_LIMITS:-}${TACHOGRAPH_THRESHOLDS:-}
kept=
[[ $given =~ [^[:space:]] ]] || kept=$(tachograph thresholds show -- "$name")

checked=0
if ((${#limits[@]} > 0)) || [[ -n ${TACHOGRAPH_THRESHOLDS:-} || $kept == *failIf* ]]; then
  tachograph check ${last:+--against "$last"} ${limits[@]+"${limits[@]}"} \
    --junit "$folder/check.xml" --markdown-file "$folder/check.md" -- "$id" || checked=$?
  ((checked == 0 || checked == 4)) || exit "$checked"
fi
[[ -z $last ]] || tachograph compare --limit 20 --markdown-file "$folder/compare.md" -- "$last" "$id"

{
  # Marks the comments of this pipeline.
  echo "<!-- tachograph -->"
  echo "### Test run [$id](${TACHOGRAPH_URL%/}/t/$id)"
  ((imported == 0)) || printf '\nA file was truncated, or rows could not be read: see the log.\n'
  [[ ! -e $folder/check.md ]] || { echo && cat "$folder/check.md"; }
  for line in ${not_evaluated[@]+"${not_evaluated[@]}"}; do
    printf '\nNot evaluated: `%s`. No run has the tag `%s` yet.\n' "$line" "$tag"
  done
  if [[ -e $folder/compare.md ]]; then
    parts=("$folder/compare.md")
    if [[ -e $folder/check.md ]]; then
      parts+=("$folder/check.md")
      printf '\nThe thresholds above decide. The comparison tests all figures of all endpoints at once: what is inconclusive there may fail a threshold.\n'
    fi
    # GitHub refuses comments of over 65,536 characters.
    if (($(cat "${parts[@]}" | wc -m) > 60000)); then
      printf '\nThe comparison is too long to be shown here: see the log.\n'
    else
      echo && cat "$folder/compare.md"
    fi
  fi
} >"$folder/comment.md"

if ((checked == 0 && imported == 0)) && [[ ${LOAD_TEST_IS_BASE:-} == true ]]; then
  tachograph tests tag -- "$id" "$tag"
fi
# Noise between runs is measured without runs that failed.
if ((checked == 4)) && grep -q '<failure ' "$folder/check.xml"; then
  tachograph tests tag -- "$id" thresholds-failed
fi
((checked == 0)) || exit "$checked"
exit "$imported"
