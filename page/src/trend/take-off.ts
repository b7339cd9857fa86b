import { changeParameters } from "../address/use-address.ts";

/** What narrows the view, innermost first. */
const NARROWING: readonly (readonly string[])[] = [["endpoint"], ["filter"], ["since", "upTo"]];

/** Takes one thing off that narrows the view; `true` where nothing does. */
export function takeOff(parameters: ReadonlyMap<string, string>): boolean {
  const names = NARROWING.find((each) => each.some((name) => parameters.has(name)));
  if (names === undefined) return true;
  changeParameters(Object.fromEntries(names.map((name) => [name, undefined])));
  return false;
}
