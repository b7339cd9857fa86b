import { changeParameters } from "../address/use-address.ts";

/** Filters of the view, innermost first. */
const NARROWING: readonly (readonly string[])[] = [["endpoint"], ["filter"], ["since", "upTo"]];

/** Removes one filter; `true` if there is none. */
export function takeOff(parameters: ReadonlyMap<string, string>): boolean {
  const names = NARROWING.find((each) => each.some((name) => parameters.has(name)));
  if (names === undefined) return true;
  changeParameters(Object.fromEntries(names.map((name) => [name, undefined])));
  return false;
}
