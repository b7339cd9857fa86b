import { expect, test } from "vitest";
import { textsIn } from "./describe-button.tsx";

test.each([
  ["commit=ab12\n\n branch = main ", { commit: "ab12", branch: "main" }],
  ["a=b = https://x.org/?q=1", { "a=b": "https://x.org/?q=1" }],
  ["version=1=2", { version: "1=2" }],
  ["nothing", { nothing: "" }],
  ["", {}],
])("%j has the pairs %j", (lines, pairs) => {
  expect(textsIn(lines)).toEqual(pairs);
});
