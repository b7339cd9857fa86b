import type { CandidateRounds } from "./run-rounds.ts";

/** Results of the same name that are not the same in all candidates and rounds: one sentence each. */
export function disagreements(candidates: readonly CandidateRounds[]): readonly string[] {
  const first = new Map<string, { readonly text: string; readonly by: string }>();
  const complaints: string[] = [];
  for (const { name, rounds } of candidates) {
    for (const [key, text] of rounds.flatMap(({ results }) => Object.entries(results ?? {}))) {
      const known = first.get(key);
      if (known === undefined) first.set(key, { text, by: name });
      else if (known.text !== text) {
        complaints.push(`${key}: ${known.by} says ${known.text}, ${name} says ${text}`);
      }
    }
  }
  return [...new Set(complaints)];
}
