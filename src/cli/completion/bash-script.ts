import type { CompletedCommand } from "./command-tree.ts";
import { optionsWith, quoted, stepsOf } from "./shell-script.ts";

/** The completion of bash 4 and later. */
export function bashScript(tree: readonly CompletedCommand[]): string {
  const steps = stepsOf(tree).map(
    ([from, to]) => `      ${quoted(from)}) place=${quoted(to)} ;;\n`,
  );
  const words = tree.map(
    ({ place, commands, options, argument }) =>
      `    ${quoted(place)})\n` +
      `      commands=${quoted(commands.map(({ name }) => name).join(" "))}\n` +
      `      options=${quoted(options.flatMap(({ names }) => names).join(" "))}\n` +
      `      argument=${argument} ;;\n`,
  );
  return `# Completes tachograph in bash: made by \`tachograph completion bash\`.
_tachograph() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local place= commands= options= argument= at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$place \${COMP_WORDS[at]}" in
${steps.join("")}    esac
  done
  case "$place $before" in
    ${patterns(tree, "directory")}
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return ;;
    ${patterns(tree, "file")}
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return ;;
    ${patterns(tree, "text")} return ;;
  esac
  case "$place" in
${words.join("")}  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $argument == file ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  fi
}
complete -F _tachograph tachograph
`;
}

function patterns(tree: readonly CompletedCommand[], kind: "directory" | "file" | "text"): string {
  return `${optionsWith(tree, kind).map(quoted).join(" | ")})`;
}
