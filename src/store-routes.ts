import type { Route } from "./http/route.ts";
import { createFailuresRoute } from "./http/routes/failures.ts";
import { createUsersRoute } from "./http/routes/users.ts";
import { readFailures } from "./operations/read-failures.ts";
import { readUsers } from "./operations/read-users.ts";
import type { Store } from "./store/store.ts";

/** The routes of a server beside those it always has, over one store. */
export function storeRoutes({ points }: Pick<Store, "points">): readonly Route[] {
  return [
    createFailuresRoute((query) => readFailures(points, query)),
    createUsersRoute((query) => readUsers(points, query)),
  ];
}
