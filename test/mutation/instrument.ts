/**
 * All mutants of a file in one text, behind switches: `$mutant(17)` says whether number 17 is on.
 */

import type { Mutant } from "./mutant.ts";
import { isLoop } from "./operators-statements.ts";
import { placesOf } from "./syntax.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  wrap(inner: string): string;
}

/**
 * The source of `file` with its mutants beside the original; keeps all line numbers. Counts the iterations of
 * each loop, so that an endless mutant can be stopped.
 */
export function instrument(file: string, source: string, mutants: readonly Mutant[]): string {
  const edits = [...loopEdits(source), ...mutants.map((mutant) => editOf(mutant, source))];
  edits.sort((left, right) => left.start - right.start || right.end - left.end);
  const switches = `globalThis.mutationSwitches.of(${JSON.stringify(file)})`;
  return `const { $mutant, $round } = ${switches}; ${applied(source, edits)}`;
}

function applied(source: string, edits: readonly Edit[]): string {
  let next = 0;
  const write = (from: number, until: number): string => {
    let text = "";
    let at = from;
    for (let edit = edits[next]; edit !== undefined && edit.end <= until; edit = edits[next]) {
      next += 1;
      text += source.slice(at, edit.start) + edit.wrap(write(edit.start, edit.end));
      at = edit.end;
    }
    return text + source.slice(at, until);
  };
  return write(0, source.length);
}

function loopEdits(source: string): Edit[] {
  return placesOf(source)
    .filter(({ key, parent }) => key === "body" && parent !== undefined && isLoop(parent.node))
    .map(({ node: { start, end } }) => ({
      start,
      end,
      wrap: (inner) => `{ $round(); ${inner} }`,
    }));
}

function editOf({ number, form, after, start, end }: Mutant, source: string): Edit {
  const isOn = `$mutant(${number})`;
  if (form === "expression") {
    return { start, end, wrap: (inner) => `(${isOn} ? ${after} : ${inner})` };
  }
  if (form === "statement") {
    return { start, end, wrap: (inner) => `{ if (!${isOn}) { ${inner} } }` };
  }
  if (form === "name") {
    const names = [after, source.slice(start, end)].map((name) => name.trim().slice(1));
    return { start, end, wrap: () => `[${isOn} ? "${names.join('" : "')}"]` };
  }
  return { start: start + 1, end: start + 1, wrap: () => ` if (${isOn}) ${form};` };
}
