import { encodeEndpointSet } from "../../src/store/block/endpoint-set.ts";
import type { LiveBlock } from "../../src/store/sqlite/blocks/block-rows.ts";

/** Returns blocks of live points of one source, numbered from 1: four endpoints with ten rows each in second 5. */
export function liveBlocks(about: readonly Partial<LiveBlock>[]): LiveBlock[] {
  return about.map((each, index) => ({
    number: index + 1,
    load_test: 1,
    source: 1,
    kind: "points",
    endpoint_group: null,
    endpoints: encodeEndpointSet([0, 1, 2, 3]),
    roles: null,
    points: 40,
    first_second: 5,
    last_second: 5,
    plain_crc: 0,
    distribution_crc: 0,
    level: 0,
    shown_from: index + 1,
    ...each,
  }));
}
