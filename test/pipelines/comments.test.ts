import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ACTION = path.join(import.meta.dirname, "../../action.yml");
const MARK = "<!-- tachograph -->\n";

/** As GitHub lists them: `gh` has a jq of its own. */
const COMMENTS = [
  { id: 1, body: `${MARK}ok`, author_association: "NONE", user: { type: "Bot" } },
  { id: 2, body: `${MARK}ok`, author_association: "MEMBER", user: { type: "User" } },
  { id: 3, body: "Nice!", author_association: "NONE", user: { type: "Bot" } },
  { id: 4, body: `${MARK}all is well`, author_association: "NONE", user: { type: "User" } },
  { id: 5, body: `${MARK}all is well`, author_association: "CONTRIBUTOR", user: { type: "User" } },
];

test("on GitHub no comment of a stranger is updated, who could then change it", () => {
  const [, own = ""] = /own='(.+)'/.exec(readFileSync(ACTION, "utf8")) ?? [];
  const chosen = spawnSync("jq", [own], { input: JSON.stringify(COMMENTS), encoding: "utf8" });
  expect(chosen).toMatchObject({ stdout: "1\n2\n", stderr: "" });
});
