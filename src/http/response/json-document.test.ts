import { expect, test } from "vitest";
import { jsonDocument } from "./json-document.ts";

test.each([0, 1, 127, 128, 129, 1000])(
  "an object with a list of %d items is what JSON.stringify makes of it",
  async (length) => {
    const items = Array.from({ length }, (_, index) => ({ label: `"ü${index}"`, p50: index / 7 }));
    const head = { overall: { count: 1 }, overallOf: "requests" };
    const chunks: Uint8Array[] = [];
    for await (const chunk of jsonDocument(head, [
      "endpoints",
      [items.slice(0, 130), items.slice(130)],
    ]))
      chunks.push(chunk);
    const whole = JSON.stringify({ ...head, endpoints: items });
    expect(Buffer.concat(chunks).toString()).toBe(whole);
  },
);
