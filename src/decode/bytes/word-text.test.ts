import * as fc from "fast-check";
import { expect, test } from "vitest";
import { WordText, viewOf } from "./byte-words.ts";

const text = fc.stringMatching(/^[ab]{1,9}$/);

test("matches a text exactly where its bytes are", () => {
  fc.assert(
    fc.property(text, fc.stringMatching(/^[ab]{0,12}$/), fc.nat(12), (wanted, found, at) => {
      const view = viewOf(Buffer.from(`${found}\n${"-".repeat(16)}`));
      const from = at % (found.length + 1);
      expect(new WordText(wanted).isAt(view, from)).toBe(found.startsWith(wanted, from));
    }),
  );
});
