import { isId } from "../model/id.ts";
import { unknownLoadTest } from "../model/load-test.ts";

/** Where load tests are, below the address of a server. */
export const LIST_PATH = "/Api/LoadTests";

/** Where one of them is. Throws `unknown-load-test` where nothing can have this id. */
export function loadTestPath(id: string): string {
  return `${LIST_PATH}/${checkedId(id)}`;
}

/** An id that can stand in an address as it is. Throws `unknown-load-test` where nothing can have it. */
export function checkedId(id: string): string {
  if (isId(id)) return id;
  throw unknownLoadTest(id);
}

/** Parameters of an address; those that are `undefined` are left out. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** A path with its parameters. */
export function withParameters(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
