/** Roles of endpoints in the form that all stores use: by number, requests omitted. */

import type { Endpoint } from "../model/load-test.ts";
import { derivedRole, type Role, strongerRole } from "../model/role.ts";
import type { NumbersOfLabels } from "./labels.ts";
import type { PointBatch } from "./store.ts";

/** Endpoints without a role are requests. */
export type Roles = ReadonlyMap<number, Exclude<Role, "request">>;

/** Part of stored data: its endpoints, and which of them are not requests. */
export interface RolesOfPart {
  readonly endpoints: Iterable<number>;
  readonly roles: Roles;
}

export function storedRoles({ roles }: PointBatch, { used, numbers }: NumbersOfLabels): Roles {
  if (roles === undefined) return new Map();
  const parts = Array.from(used, (label) => {
    const number = numbers[label] as number;
    const role = roles[label] ?? "request";
    return { endpoints: [number], roles: rolesIn([[number, role]]) };
  });
  return mergeRoles(parts);
}

/** Returns the combined roles of all parts. */
export function mergeRoles(parts: readonly RolesOfPart[]): Roles {
  const merged = new Map<number, Role>();
  if (parts.every(({ roles }) => roles.size === 0)) return rolesIn(merged);
  for (const { endpoints, roles } of parts) {
    for (const endpoint of endpoints) {
      const role = roles.get(endpoint) ?? "request";
      merged.set(endpoint, strongerRole(merged.get(endpoint) ?? role, role));
    }
  }
  return rolesIn(merged);
}

/** Adds the visible role to an endpoint. */
export function endpointOf(endpoint: Pick<Endpoint, "number" | "label">, roles: Roles): Endpoint {
  const role = derivedRole(roles.get(endpoint.number));
  return role === undefined ? endpoint : { ...endpoint, role };
}

function rolesIn(roles: Iterable<readonly [number, Role]>): Roles {
  return new Map(
    [...roles].flatMap(([endpoint, role]) => (role === "request" ? [] : [[endpoint, role]])),
  );
}
