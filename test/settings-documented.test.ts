import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../src/cli/command-context.ts";
import { DEFAULT_HTTP_SETTINGS } from "../src/http/settings.ts";

const text = readFileSync(path.join(import.meta.dirname, "../docs/api.md"), "utf8");
const [, settings = ""] = text.split("\n## Settings\n");
/** Names at the beginning of a row; `host` and `port` share one. */
const named = [...settings.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\|/gm)].flatMap(([, cell = ""]) =>
  cell.replaceAll("`", "").split(", "),
);

const flags = Object.entries(DEFAULT_HTTP_SETTINGS).filter(
  ([name, value]) => name === "port" || typeof value !== "number" || name in SERVER_LIMITS,
);

test("docs/api.md lists every setting exactly once, and no other", () => {
  expect(named.toSorted()).toEqual(flags.map(([name]) => name).toSorted());
});

test.each(flags.filter(([, value]) => typeof value === "number"))(
  "docs/api.md says that %s is %d",
  (name, value = 0) => {
    const row = settings.split("\n").find((line) => line.includes(`\`${name}\``)) ?? "";
    expect(row.split("|")[2]).toMatch(
      new RegExp(String.raw`\b${value.toLocaleString("en-US")}\b|\b${value}\b`),
    );
  },
);
