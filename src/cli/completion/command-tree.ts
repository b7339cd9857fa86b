import type { Argument, Command, Option } from "commander";

/** What a shell completes after the words of a command. */
export interface CompletedCommand {
  /** Its words, such as `keys create`; empty for the program itself. */
  readonly place: string;
  /** Commands below it, or values of its argument where only these are right. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  /** What stands where no option does. */
  readonly argument: ValueKind;
}

export interface CompletedOption {
  /** As they are typed, the long one last: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** `undefined` where none follows. */
  readonly value: ValueKind | undefined;
}

/** What can be completed of a value: `text` means that only its writer knows. */
export type ValueKind = "file" | "directory" | "text";

/** A command and all below it, each before its own. */
export function commandTree(command: Command, place = ""): readonly CompletedCommand[] {
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

/** By the name that stands for it: `--data <dir>`. */
function valueKind(flags: string): ValueKind | undefined {
  const [, name] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  if (name === undefined) return undefined;
  if (name.includes("file")) return "file";
  return name.includes("dir") ? "directory" : "text";
}
