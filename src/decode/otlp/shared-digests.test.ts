import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SharedDigests } from "./shared-digests.ts";

const LISTS = fc.array(fc.array(fc.constantFrom("a", "b", undefined, "é\n"), { maxLength: 4 }));

test("digests are those of the JSON, whatever came before", () => {
  fc.assert(
    fc.property(LISTS, (lists) => {
      const digests = new SharedDigests();
      for (const parts of lists) {
        const json = JSON.stringify(parts.map((part) => part ?? null));
        const want = createHash("sha256").update(json).digest("base64url");
        expect(digests.of(parts)).toBe(want);
      }
    }),
  );
});
