/** The roles of a block's endpoints in few bytes: for each role its endpoint set, behind its length. */

import { type Role, ROLES } from "../../model/role.ts";
import { ByteReader } from "../block/byte-reader.ts";
import { ByteWriter } from "../block/byte-writer.ts";
import { mergeRoles, type Roles } from "../stored-roles.ts";
import type { BlockRow, EncodedBlock } from "./block-rows.ts";
import { encodeEndpointSet, endpointsIn } from "./endpoint-set.ts";

/** In the order of their sets. */
const STORED = ROLES.filter((role): role is Exclude<Role, "request"> => role !== "request");

/** A block without roles, with those of `roles` that concern it. */
export function withRoles(block: EncodedBlock, roles: Roles): EncodedBlock {
  if (roles.size === 0) return block;
  const own = endpointsIn(block.endpoints).filter((endpoint) => roles.has(endpoint));
  if (own.length === 0) return block;
  const writer = new ByteWriter();
  for (const role of STORED) {
    const set = encodeEndpointSet(own.filter((endpoint) => roles.get(endpoint) === role));
    writer.varint(set.length);
    writer.bytes(set);
  }
  return { ...block, roles: writer.view().slice() };
}

/** The roles that blocks together tell. */
export function rolesOf(blocks: readonly BlockRow[]): Roles {
  if (blocks.every(({ roles }) => roles === null)) return new Map();
  return mergeRoles(
    blocks.map(({ endpoints, roles }) => ({
      endpoints: endpointsIn(endpoints),
      roles: roles === null ? new Map() : decodeRoles(roles),
    })),
  );
}

function decodeRoles(bytes: Uint8Array): Roles {
  const reader = new ByteReader(bytes);
  const roles = STORED.flatMap((role) => {
    const set = reader.take(reader.varint());
    return endpointsIn(set).map((endpoint) => [endpoint, role] as const);
  });
  return new Map(roles);
}
