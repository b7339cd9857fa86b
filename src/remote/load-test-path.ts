import { isId } from "../model/id.ts";
import { unknownLoadTest } from "../model/load-test.ts";

/** Path of load tests, relative to a server's URL. */
export const LIST_PATH = "/Api/LoadTests";

/** Path of one load test. Throws `unknown-load-test` for an invalid id. */
export function loadTestPath(id: string): string {
  return `${LIST_PATH}/${checkedId(id)}`;
}

/** Returns an id that needs no escaping in a URL. Throws `unknown-load-test` for an invalid id. */
export function checkedId(id: string): string {
  if (isId(id)) return id;
  throw unknownLoadTest(id);
}

/** Query parameters; `undefined` ones are omitted. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

export function withParameters(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
