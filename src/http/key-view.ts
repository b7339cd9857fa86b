import type { AccessKey } from "../model/access-key.ts";
import { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";

/** What a key sees that does not see everything. */
export interface KeyView {
  /** Different for keys that see different things; cached responses are kept apart by it. */
  readonly name: string;
  /** The operations on what it sees. Others that need a scope do not exist for it. */
  readonly routes: ReadonlyMap<string, Route>;
}

/** `undefined`: the key sees everything. */
export type ViewOf = (key: AccessKey) => KeyView | undefined;

/** The route as the key sees it, and the name of its view. Throws `unknown-route`. */
export function seenBy(
  key: AccessKey | undefined,
  route: Route,
  viewOf: ViewOf,
): { readonly route: Route; readonly view: string | undefined } {
  const view = key && viewOf(key);
  const { operationId, scope } = route;
  if (view === undefined || scope === "any") return { route, view: view?.name };
  const seen = view.routes.get(operationId);
  if (seen !== undefined) return { route: seen, view: view.name };
  throw new HttpError("unknown-route", "nothing is here for this key");
}
