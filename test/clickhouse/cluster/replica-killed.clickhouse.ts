import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { labForTests } from "../lab/lab-for-tests.ts";
import { openStores } from "../stores/open-stores.ts";
import { settingsOf } from "../stores/servers-for-tests.ts";
import { expectEqual, oracleOf } from "../suites/stored-exactly.ts";
import { Traffic } from "../suites/traffic.ts";

const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 10);

const lab = labForTests({ shards: 2, replicas: 2 });

test(
  "replicas killed while two processes write and read lose, double and hide nothing",
  { timeout: 60_000 + 60_000 * KILLS },
  async () => {
    const stores = await openStores(settingsOf(lab()), 2);
    const traffic = new Traffic(stores, ["a", "b", "c", "d", "e", "f"]);
    await traffic.createLoadTests();
    const running = traffic.run();
    for (let kill = 0; kill < KILLS; kill++) {
      await setTimeout(1000);
      const { name } = lab().servers[kill % 4] as { readonly name: string };
      await lab().kill(name);
      await setTimeout(2000);
      await lab().startAgain(name);
      await lab().untilCaughtUp();
    }
    traffic.end();
    await running;
    console.log(`${KILLS} kills: ${traffic.figures}`);
    expect(traffic.faults).toEqual([]);
    expect(traffic.refusals).toEqual([]);

    const { ledger, loadTestIds } = traffic;
    for (const store of stores) expect(await traffic.resendAll(store)).toEqual([]);
    await lab().untilCaughtUp();
    await expectEqual(stores, await oracleOf(loadTestIds, ledger.begun), loadTestIds);
  },
);
