import type { AccessKey } from "../model/access-key.ts";
import type { SecondRange } from "../model/columns.ts";
import { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";

/** What a key sees that does not see everything. */
export interface KeyView {
  /** Different for keys that see different things; cached responses are separated by it. */
  readonly name: string;
  /** The operations on what it sees. Others that need a scope do not exist for it. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Changes with the data of a load test that it sees; `undefined` for others. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
  /** Seconds of all endpoints of one that it sees, within a range; 0 for others. */
  readonly endpointSecondsOf: (loadTestId: string, range?: SecondRange) => Promise<number>;
}

/** `undefined`: the key sees everything. */
export type ViewOf = (key: AccessKey) => KeyView | undefined;

/** The route as the key sees it, and its view. Throws `unknown-route`. */
export function seenBy(
  key: AccessKey | undefined,
  route: Route,
  viewOf: ViewOf,
): { readonly route: Route; readonly view: KeyView | undefined } {
  const view = key && viewOf(key);
  const { operationId, scope } = route;
  if (view === undefined || scope === "any") return { route, view };
  const seen = view.routes.get(operationId);
  if (seen !== undefined) return { route: seen, view };
  throw new HttpError("unknown-route", "nothing is here for this key");
}
