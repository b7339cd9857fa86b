import assert from "node:assert/strict";
import path from "node:path";
import { startTachograph } from "../../support/run-tachograph.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** `EX_TEMPFAIL`, as documented in docs/errors.md. */
const IN_USE = 75;

export const twoServers: Fault = {
  id: "T34",
  title:
    "Two servers are started on one store at once: exactly one serves, the other names it and ends.",
  rounds: { fast: 5, nightly: 50, release: 50 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    for (let round = 0; round < rounds; round++) {
      const data = path.join(folder, String(round));
      const servers = [0, 1].map(() => startTachograph(["serve", "--port", "0", "--data", data]));
      const ready = servers.map((server) =>
        server.printed("answers at").then(
          () => "serves",
          () => "ended",
        ),
      );
      assert.deepEqual((await Promise.all(ready)).toSorted(), ["ended", "serves"]);
      for (const server of servers) server.process.kill("SIGTERM");
      const outcomes = await Promise.all(servers.map(({ outcome }) => outcome));
      const refused = outcomes.findIndex(({ exitCode }) => exitCode === IN_USE);
      const told = outcomes.map(({ exitCode, error }) => `${exitCode}: ${error}`).join("\n");
      assert.notEqual(refused, -1, `one is refused, got ${told}`);
      const other = servers[1 - refused]?.process.pid;
      assert.match(
        outcomes[refused]?.error ?? "",
        new RegExp(`\\b${other}\\b`),
        `it names the other, ${other}`,
      );
      assert.ok(
        outcomes.some(({ exitCode }) => exitCode === 0),
        "the other one ends well",
      );
    }
    return { "double starts": rounds };
  },
};
