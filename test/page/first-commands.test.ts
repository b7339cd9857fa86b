import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AFTER_A_RUN, whileItRuns } from "../../page/src/list/commands.ts";
import { runTachograph } from "../support/run-tachograph.ts";

const COMMANDS = [...AFTER_A_RUN, ...whileItRuns(new URL("http://host:8013/"))];
const help = (await runTachograph(["import", "--help"])).out;

function flags(words: string): readonly string[] {
  return words.match(/(?<= )--?[\w-]+/g) ?? [];
}

test.each(COMMANDS)("the command for $tool has only existing flags", ({ tool, command }) => {
  const page = path.join(import.meta.dirname, `../../docs/tools/${tool.toLowerCase()}.md`);
  const documents = readFileSync(page, "utf8");
  const at = command.includes("tachograph") ? command.indexOf("tachograph") : command.length;
  const [own, ours] = [command.slice(0, at), command.slice(at)];
  for (const flag of flags(own)) expect(documents).toContain(flag);
  for (const flag of flags(ours.replace(/\$\(.*\)/, ""))) expect(help).toContain(flag);
});

test("k6 gets the URL of the service, with a base path in the form that k6 accepts", () => {
  const [root, under] = ["https://host/", "https://host/load-tests/"].map(
    (address) => whileItRuns(new URL(address))[0]?.command,
  );
  expect(root).toBe("k6 run --out influxdb=https://any:KEY@host/checkout script.js");
  expect(under).toContain("K6_INFLUXDB_ADDR=https://host/load-tests K6_INFLUXDB_DB=checkout ");
});
