import { changeParameters } from "../address/use-address.ts";

/** The names with this one at their end, or without it. */
export function toggled(names: Iterable<string>, name: string): readonly string[] {
  const all = [...names].filter((each) => each !== "");
  return all.includes(name) ? all.filter((each) => each !== name) : [...all, name];
}

/** The same with the names in a parameter of the URL, separated by commas. */
export function toggleIn(parameter: string, names: Iterable<string>, name: string): void {
  changeParameters({ [parameter]: toggled(names, name).join(",") || undefined }, "replace");
}
