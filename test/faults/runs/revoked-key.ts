import assert from "node:assert/strict";
import path from "node:path";
import { batchOf, sample } from "../../support/batches.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { METRICS, withServer } from "../disk/fault-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const STORM_MS = 4000;

export const revokedKey: Fault = {
  id: "H1",
  title: "A key that another process revokes under a storm of reads gets no 200 afterwards.",
  rounds: { fast: 0, nightly: 3, release: 3 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, ({ points }) =>
      points.append(batchOf([sample("endpoint", 1_700_000_000)])),
    );
    return withServer({ folder: data, key }, async (server) => {
      let [answered, refused] = [0, 0];
      for (let round = 0; round < rounds; round++) {
        const found = await revokeInStorm(`storm-${round}`, data, server.address);
        answered += found.answered;
        refused += found.refused;
      }
      await server.stop();
      return { "reads before the key was revoked": answered, "refused afterwards": refused };
    });
  },
};

async function revokeInStorm(name: string, data: string, address: string) {
  const asked = ["--name", name, "--scope", "read", "--data", data];
  const key = (await runTachograph(["keys", "create", ...asked])).out.trim();
  const revoked = { isOver: false };
  const revoke = async (): Promise<void> => {
    const { exitCode, error } = await runTachograph(["keys", "revoke", name, "--data", data]);
    assert.equal(exitCode, 0, error);
    revoked.isOver = true;
  };
  const revoking = revoke();
  const untilMs = performance.now() + STORM_MS;
  let [answered, refused] = [0, 0];
  while (performance.now() < untilMs || !revoked.isOver) {
    const wasRevoked = revoked.isOver;
    const response = await fetch(new URL(METRICS, address), { headers: { "X-Service-Auth": key } });
    await response.arrayBuffer();
    if (response.status === 200) answered += 1;
    else refused += 1;
    assert.ok(response.status !== 200 || !wasRevoked, "a revoked key was answered");
    assert.ok(response.status !== 200 || refused === 0, "a revoked key came back");
  }
  await revoking;
  assert.ok(answered > 0 && refused > 0, `${answered} answered, ${refused} refused`);
  return { answered, refused };
}
