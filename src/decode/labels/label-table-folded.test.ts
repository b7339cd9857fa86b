import { expect, test } from "vitest";
import { FoldedLabels } from "./label-table.ts";

function foldedOf(labels: number, group: (label: number) => number): FoldedLabels {
  const folded = new FoldedLabels();
  for (let label = 0; label < labels; label++) {
    const bytes = Buffer.from(`<${label}>`);
    folded.take(bytes, [1, bytes.length - 1], group(label));
    folded.take(bytes, [1, bytes.length - 1], group(label));
  }
  return folded;
}

test.each([
  [0, undefined],
  [1, "labels folded into groups: 1 into 1"],
  [100_000, "labels folded into groups: 100000 into 3"],
  [100_001, "labels folded into groups: more than 100000 into 3"],
  [250_000, "labels folded into groups: more than 100000 into 3"],
])("the note on %i labels, each taken twice, is %j", (labels, note) => {
  expect(foldedOf(labels, (label) => label % 3).note()).toBe(note);
});

test("groups after the last counted label are included in the note", () => {
  const folded = foldedOf(150_000, (label) => (label < 120_000 ? 0 : 1));

  expect(folded.note()).toBe("labels folded into groups: more than 100000 into 2");
});
