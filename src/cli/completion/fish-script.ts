import type { CompletedCommand, CompletedOption } from "./command-tree.ts";
import { quoted, stepsOf } from "./shell-script.ts";

/** The completion of fish 3 and later. */
export function fishScript(tree: readonly CompletedCommand[]): string {
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
${tree.map(placeText).join("")}`;
}

function placeText({ place, commands, options, argument }: CompletedCommand): string {
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

/** Within single quotes fish knows two escapes. */
function text(words: string): string {
  return `'${words.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
