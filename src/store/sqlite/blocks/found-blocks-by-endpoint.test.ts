import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockRow } from "./block-rows.ts";
import { blocksByEndpoint } from "./found-blocks.ts";
import { encodeEndpointSet } from "../../block/endpoint-set.ts";

/** Returns a block with failures of the endpoints; `looked` is called on each read of them. */
function block(endpoints: readonly number[], number: number, looked = () => {}): BlockRow {
  const set = encodeEndpointSet(endpoints.toSorted((left, right) => left - right));
  return {
    number,
    load_test: 1,
    source: 1,
    kind: "failures",
    endpoint_group: null,
    get endpoints() {
      looked();
      return set;
    },
    roles: null,
    points: 1,
    first_second: 1,
    last_second: 1,
    plain_crc: 0,
    distribution_crc: 0,
  };
}

const someEndpoints = fc.uniqueArray(fc.oneof(fc.nat(50), fc.nat(100_000)), { maxLength: 40 });

test.each([0, 1, 3, undefined])(
  "the blocks of an endpoint are found after %s scans",
  (scansMax) => {
    const property = fc.property(fc.array(someEndpoints, { maxLength: 6 }), (sets) => {
      const blocksOf = blocksByEndpoint(
        sets.map((endpoints, number) => block(endpoints, number)),
        scansMax,
      );
      for (const endpoint of [...sets.flat().flatMap((each) => [each, each + 1]), 0, 17]) {
        const wanted = [...sets.keys()].filter((number) => sets[number]?.includes(endpoint));
        expect(blocksOf(endpoint).map(({ number }) => number)).toEqual(wanted);
      }
    });
    fc.assert(property, { numRuns: 50 });
  },
);

test("blocks are not scanned again for each of many endpoints", () => {
  const [blocks, endpointsEach] = [300, 16];
  let looks = 0;
  const rows = Array.from({ length: blocks }, (_, number) => {
    const endpoints = Array.from(
      { length: endpointsEach },
      (__, index) => endpointsEach * number + index,
    );
    return block(endpoints, number, () => (looks += 1));
  });
  const blocksOf = blocksByEndpoint(rows);
  for (let endpoint = 0; endpoint < blocks * endpointsEach; endpoint++) {
    expect(blocksOf(endpoint)).toHaveLength(1);
  }
  expect(looks).toBeLessThan(100 * blocks);
});
