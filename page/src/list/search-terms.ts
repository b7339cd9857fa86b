/** What a search can go on with. */

import { type LoadTest, quotedWord } from "../api/load-tests.ts";

/** Values by key, of the runs seen so far. */
export type KnownTerms = ReadonlyMap<string, ReadonlySet<string>>;

const LIMITS = ["p50>", "p95>", "p99>", "average>", "errors>", "requests>", "duration>"];

/** More are not looked through. */
const [VALUES_MAX, SHOWN] = [1000, 20];

/** `known` with the keys and values of further runs and tags. */
export function withTerms(
  known: KnownTerms,
  loadTests: readonly LoadTest[],
  tags: readonly string[],
): KnownTerms {
  const found = new Map([...known].map(([key, values]) => [key, new Set(values)]));
  const add = (key: string, value: string | null): void => {
    const values = found.get(key) ?? new Set();
    if (value !== null && values.size < VALUES_MAX) found.set(key, values.add(value));
  };
  for (const is of ["yes", "no"]) for (const flag of ["failed", "pinned"]) add(flag, is);
  for (const tag of tags) add("tag", tag);
  for (const { name, environment, formats, properties } of loadTests) {
    add("name", name);
    add("env", environment);
    for (const format of formats) add("tool", format);
    for (const [key, value] of Object.entries(properties)) add(key, value);
  }
  return found;
}

/** Whole searches that begin with the typed one and end with a known key or value. */
export function completions(search: string, known: KnownTerms): readonly string[] {
  const [word = ""] = /(?:"[^"]*"?|[^\s"])*$/u.exec(search) ?? [];
  const head = search.slice(0, search.length - word.length);
  const key = [...known.keys()].find((each) => word.toLowerCase().startsWith(`${each}:`));
  const candidates =
    key === undefined
      ? [...[...known.keys()].map((each) => `${each}:`), ...LIMITS]
      : [...(known.get(key) ?? [])].map((value) => `${key}:${asWord(value)}`);
  const typed = word.toLowerCase();
  return candidates
    .filter((each) => each !== word && each.toLowerCase().startsWith(typed))
    .slice(0, SHOWN)
    .map((each) => head + each);
}

function asWord(value: string): string {
  return /^[^\s"]+$/u.test(value) ? value : quotedWord(value);
}
