import type { Change, Mutant } from "./mutant.ts";
import { changesOf } from "./operators.ts";
import { type Place, placesOf } from "./syntax.ts";

/** The mutants of a source file in text order, numbered from 0. Throws as `placesOf`. */
export function findMutants(source: string): Mutant[] {
  const lines = lineStarts(source);
  return placesOf(source)
    .flatMap((place) => changesOf(place, source).map((change) => located(place, change)))
    .map((change, number) => ({
      ...change,
      number,
      line: lines.findLastIndex((start) => start <= change.start) + 1,
      before: source.slice(change.start, change.end),
    }));
}

function located({ node }: Place, change: Change): Required<Change> {
  return { start: node.start, end: node.end, ...change };
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (const { index } of source.matchAll(/\n/g)) starts.push(index + 1);
  return starts;
}
