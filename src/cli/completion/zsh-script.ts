import type { CompletedCommand } from "./command-tree.ts";
import { optionsWith, quoted, stepsOf } from "./shell-script.ts";

/** The completion of zsh 5, as a function that is loaded by its name. */
export function zshScript(tree: readonly CompletedCommand[]): string {
  const steps = stepsOf(tree).map(
    ([from, to]) => `      (${quoted(from)}) place=${quoted(to)} ;;\n`,
  );
  return `#compdef tachograph
# Completes tachograph in zsh: made by \`tachograph completion zsh\`.
_tachograph() {
  local place= argument= at
  local -a commands options
  for ((at = 2; at < CURRENT; at++)); do
    case "$place \${words[at]}" in
${steps.join("")}    esac
  done
  case "$place \${words[CURRENT - 1]}" in
    (${patterns(tree, "directory")}) _files -/; return ;;
    (${patterns(tree, "file")}) _files; return ;;
    (${patterns(tree, "text")}) return ;;
  esac
  case "$place" in
${tree.map(placeText).join("")}  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif [[ $argument == file ]]; then
    _files
  else
    _describe command commands
  fi
}
if [[ \${funcstack[1]} == _tachograph ]]; then
  _tachograph "$@"
else
  compdef _tachograph tachograph
fi
`;
}

function placeText({ place, commands, options, argument }: CompletedCommand): string {
  const names = commands.map(({ name, summary }) => described(name, summary));
  const flags = options.flatMap((option) =>
    option.names.map((name) => described(name, option.description)),
  );
  return (
    `    (${quoted(place)})\n` +
    `      commands=(${names.join(" ")})\n` +
    `      options=(${flags.join(" ")})\n` +
    `      argument=${argument} ;;\n`
  );
}

/** The first colon ends the name. */
function described(name: string, description: string): string {
  return quoted(`${name.replaceAll(":", String.raw`\:`)}:${description}`);
}

function patterns(tree: readonly CompletedCommand[], kind: "directory" | "file" | "text"): string {
  return optionsWith(tree, kind).map(quoted).join(" | ");
}
