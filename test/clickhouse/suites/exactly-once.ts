import { expect, onTestFinished, test } from "vitest";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import { randomFrom } from "../../support/dense-points.ts";
import { openStores } from "../stores/open-stores.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { LossyServer } from "./lossy-server.ts";
import { expectEqual, oracleOf } from "./stored-exactly.ts";
import { Traffic } from "./traffic.ts";

const BATCHES_OF_A_WRITER = 40;
const SHARE_LOST = 0.05;

/** Nothing is lost or doubled, whatever the network between the store and its servers loses. */
export function storesExactlyOnce(kind: Kind): void {
  const servers = serversForTests(kind);

  test("4 writers over a network that loses 5 % of requests and answers store each batch once", async () => {
    const { settings, lossy } = await throughLossy(servers());
    const stores = await openStores(settings, 2);
    const traffic = new Traffic(stores, ["a", "b", "c", "d"]);
    await traffic.createLoadTests();
    for (const server of lossy) server.shareLost = SHARE_LOST;
    await traffic.run(BATCHES_OF_A_WRITER);
    expect(traffic.faults).toEqual([]);

    const { ledger, loadTestIds } = traffic;
    for (const store of stores) expect(await traffic.resendAll(store)).toEqual([]);
    for (const server of lossy) server.shareLost = 0;
    await expectEqual(stores, await oracleOf(loadTestIds, ledger.begun), loadTestIds);
    console.log(
      `${kind}: ${traffic.figures}; ${JSON.stringify(lossy.map(({ counts }) => counts))}`,
    );
  });
}

/** The same servers behind a network that loses nothing yet. */
async function throughLossy(
  settings: ClusterSettings,
): Promise<{ readonly settings: ClusterSettings; readonly lossy: readonly LossyServer[] }> {
  const random = randomFrom(7);
  const lossy: LossyServer[] = [];
  onTestFinished(async () => {
    for (const server of lossy) await server.close();
  });
  const shards: string[][] = [];
  for (const urls of settings.shards) {
    const replicas = await Promise.all(urls.map((url) => LossyServer.before(url, random)));
    lossy.push(...replicas);
    shards.push(replicas.map(({ url }) => url));
  }
  return { settings: { ...settings, shards }, lossy };
}
