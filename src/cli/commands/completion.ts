import { Argument, type Command, type Option } from "commander";
import type { DefineCommand } from "../command-context.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description("Prints a shell completion script for commands, flags and files.")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", EXAMPLES)
    .action((name: keyof typeof SCRIPTS) =>
      run(async () => {
        await context.writeOut(SCRIPTS[name](commandTree(command.parent ?? command)));
      }),
    );
};

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const EXAMPLES = `
Examples:
  tachograph completion bash > ~/.local/share/bash-completion/completions/tachograph
  tachograph completion zsh > ~/.zfunc/_tachograph   (a folder of $fpath)
  tachograph completion fish > ~/.config/fish/completions/tachograph.fish
`;

/** For bash 4 and later. */
function bashScript(tree: readonly CompletedCommand[]): string {
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
    ${patterns(tree, "directory")})
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return ;;
    ${patterns(tree, "file")})
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return ;;
    ${patterns(tree, "text")}) return ;;
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

/** For fish 3 and later. */
function fishScript(tree: readonly CompletedCommand[]): string {
  const steps = stepsOf(tree).map(
    ([from, to]) => `            case ${quoted(from)}\n                set place ${quoted(to)}\n`,
  );
  return `# Completes tachograph in fish: made by \`tachograph completion fish\`.
function __tachograph_is_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
${steps.join("")}        end
    end
    test "$place" = "$argv[1]"
end
complete -c tachograph -f
${tree.map(fishCommand).join("")}`;
}

function fishCommand({ place, commands, options, argument }: CompletedCommand): string {
  const start = `complete -c tachograph -n ${quoted(`__tachograph_is_at "${place}"`)}`;
  const lines = [
    ...(argument === "file" ? [`${start} -F`] : []),
    ...commands.map(({ name, summary }) => `${start} -a ${name} -d ${text(summary)}`),
    ...options.map((option) => `${start} ${optionWords(option)}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function optionWords({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return [...flags, ...valueWords(value), `-d ${text(description)}`].join(" ");
}

/** `-r`: a value follows; `-F`: it is a file. */
function valueWords(value: CompletedOption["value"]): readonly string[] {
  if (value === undefined) return [];
  if (value === "directory") return ["-x", "-a", "'(__fish_complete_directories)'"];
  return value === "file" ? ["-r", "-F"] : ["-x"];
}

/** Fish has two escapes within single quotes. */
function text(words: string): string {
  return `'${words.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

/** For zsh 5, as an autoloaded function. */
function zshScript(tree: readonly CompletedCommand[]): string {
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
${tree.map(zshCommand).join("")}  esac
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

function zshCommand({ place, commands, options, argument }: CompletedCommand): string {
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

function patterns(tree: readonly CompletedCommand[], kind: ValueKind): string {
  return optionsWith(tree, kind).map(quoted).join(" | ");
}

/** Quotes a text for POSIX shells, and for fish if it has no backslash. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Transitions from (place, word) to place, as patterns of a `case`. */
function stepsOf(tree: readonly CompletedCommand[]): readonly (readonly [string, string])[] {
  return tree.flatMap(({ place, commands }) =>
    commands.map(({ name }) => [`${place} ${name}`, `${place} ${name}`.trim()] as const),
  );
}

function optionsWith(tree: readonly CompletedCommand[], kind: ValueKind): readonly string[] {
  return tree.flatMap(({ place, options }) =>
    options
      .filter(({ value }) => value === kind)
      .flatMap(({ names }) => names.map((name) => `${place} ${name}`)),
  );
}

interface CompletedCommand {
  /** Its words, such as `keys create`; empty for the program itself. */
  readonly place: string;
  /** Subcommands, or values of an argument with choices. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  readonly argument: ValueKind;
}

interface CompletedOption {
  /** With the long one last: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: ValueKind | undefined;
}

/** `text` cannot be completed. */
type ValueKind = "file" | "directory" | "text";

/** Depth first, parents before children. */
function commandTree(command: Command, place = ""): readonly CompletedCommand[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((each) => command.commands.includes(each));
  const commands = below.map((each) => {
    return { name: each.name(), summary: help.subcommandDescription(each) };
  });
  const own: CompletedCommand = {
    place,
    commands: [...commands, ...choicesOf(command.registeredArguments)],
    options: help.visibleOptions(command).map(completedOption),
    argument: argumentKind(command.registeredArguments),
  };
  return [own, ...below.flatMap((each) => commandTree(each, `${place} ${each.name()}`.trim()))];
}

function completedOption(option: Option): CompletedOption {
  const { short, long, description, flags } = option;
  const names = [short, long].filter((name) => name !== undefined);
  return { names, description, value: valueKind(flags) };
}

function choicesOf(registered: readonly Argument[]) {
  return registered.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, summary: description })),
  );
}

function argumentKind(registered: readonly Argument[]): ValueKind {
  return registered.some((argument) => argument.name().includes("file")) ? "file" : "text";
}

/** From its placeholder: `--data <dir>`. */
function valueKind(flags: string): ValueKind | undefined {
  const [, name] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  if (name === undefined) return undefined;
  if (name.includes("file")) return "file";
  return name.includes("dir") ? "directory" : "text";
}
