import * as fc from "fast-check";
import { expect, test } from "vitest";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import { measureBytes, measuresIn } from "./measure-bytes.ts";
import { mergeMeasures } from "./merge-measures.ts";

test("measures survive as bytes, but for the absent label of JSON", () => {
  fc.assert(
    fc.property(measuresArbitrary, (values) => {
      const read = measuresIn(measureBytes(measureTable(values)));
      expect(read && mergeMeasures([read])).toEqual(measureTable(values));
    }),
  );
});

test("cut, longer and other bytes are not read", () => {
  const bytes = measureBytes(measureTable([]));
  for (let length = 0; length < bytes.length; length++) {
    expect(measuresIn(bytes.subarray(0, length))).toBeUndefined();
  }
  expect(measuresIn(Buffer.concat([bytes, Buffer.alloc(8)]))).toBeUndefined();
  expect(measuresIn(new Uint8Array(64).fill(255))).toBeUndefined();
});
