import { expect, test } from "vitest";
import { jsonDocument } from "./json-document.ts";

test.each([0, 1, 127, 128, 129, 1000])(
  "an object with a list of %d items is what JSON.stringify makes of it",
  async (length) => {
    const items = Array.from({ length }, (_, index) => ({ label: `"ü${index}"`, p50: index / 7 }));
    const head = { overall: { count: 1 }, overallOf: "requests" };
    const pieces: Uint8Array[] = [];
    for await (const piece of jsonDocument(head, [
      "endpoints",
      [items.slice(0, 130), items.slice(130)],
    ]))
      pieces.push(piece);
    const whole = JSON.stringify({ ...head, endpoints: items });
    expect(Buffer.concat(pieces).toString()).toBe(whole);
  },
);
