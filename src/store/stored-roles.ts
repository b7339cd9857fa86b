/** Roles of endpoints in the form that all stores use: by number, requests omitted. */

import type { Endpoint } from "../model/load-test.ts";
import { choiceIn, derivedRole, type StoredRole, strongerRole } from "../model/role.ts";
import type { NumbersOfLabels } from "./labels.ts";
import type { MeasureIndex } from "./snapshot.ts";
import type { PointBatch } from "./store.ts";

/** Endpoints without a role are requests. */
export type Roles = ReadonlyMap<number, Exclude<StoredRole, "request">>;

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
  const merged = new Map<number, StoredRole>();
  if (parts.every(({ roles }) => roles.size === 0)) return rolesIn(merged);
  for (const { endpoints, roles } of parts) {
    for (const endpoint of endpoints) {
      const role = roles.get(endpoint) ?? "request";
      merged.set(endpoint, strongerRole(merged.get(endpoint) ?? role, role));
    }
  }
  return rolesIn(merged);
}

/** Those endpoints that are not hidden, with their visible roles. */
export function shownEndpoints(
  endpoints: readonly Pick<Endpoint, "number" | "label">[],
  roles: Roles,
): readonly Endpoint[] {
  if (roles.size === 0) return endpoints;
  return endpoints.flatMap((endpoint) => {
    const stored = roles.get(endpoint.number);
    const role = derivedRole(stored);
    if (choiceIn(stored) !== undefined) return [];
    return role === undefined ? [endpoint] : [{ ...endpoint, role }];
  });
}

/** Without the series of hidden endpoints. */
export function shownMeasures({ series, unstored }: MeasureIndex, roles: Roles): MeasureIndex {
  const isShown = ({ label }: MeasureIndex["series"][number]): boolean =>
    label === undefined || choiceIn(roles.get(label)) === undefined;
  return { series: roles.size === 0 ? series : series.filter(isShown), unstored };
}

function rolesIn(roles: Iterable<readonly [number, StoredRole]>): Roles {
  return new Map(
    [...roles].flatMap(([endpoint, role]) => (role === "request" ? [] : [[endpoint, role]])),
  );
}
