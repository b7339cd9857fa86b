import { expect, test } from "vitest";
import { markdownCode } from "./markdown.ts";

test.each([
  ["GET /cart", "`GET /cart`"],
  ["a|b", "`a\\|b`"],
  ["<img src=x onerror=alert(1)> @team", "`<img src=x onerror=alert(1)> @team`"],
  ["`rm`", "`` `rm` ``"],
  ["``", "``` `` ```"],
  ["", "`  `"],
  [" a", "`  a `"],
  ["a\nb\u202e", "`a\u{fffd}b\u{fffd}`"],
])("%j stands in a table of Markdown as %j", (text, code) => {
  expect(markdownCode(text)).toBe(code);
});
