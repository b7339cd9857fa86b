import type { CompletedCommand, ValueKind } from "./command-tree.ts";

/** A text as one word of a POSIX shell, and of fish where it has no backslash. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** By place and word the place that the word leads to, as patterns of a `case`. */
export function stepsOf(tree: readonly CompletedCommand[]): readonly (readonly [string, string])[] {
  return tree.flatMap(({ place, commands }) =>
    commands.map(({ name }) => [`${place} ${name}`, `${place} ${name}`.trim()] as const),
  );
}

/** Options that are followed by such a value, each with its place before it, as patterns. */
export function optionsWith(tree: readonly CompletedCommand[], kind: ValueKind): readonly string[] {
  return tree.flatMap(({ place, options }) =>
    options
      .filter(({ value }) => value === kind)
      .flatMap(({ names }) => names.map((name) => `${place} ${name}`)),
  );
}
