import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { labForTests } from "../lab/lab-for-tests.ts";
import { openStores } from "../stores/open-stores.ts";
import { settingsOf } from "../stores/servers-for-tests.ts";
import { expectEqual, oracleOf } from "../suites/stored-exactly.ts";
import { Traffic } from "../suites/traffic.ts";

const lab = labForTests({ shards: 2, replicas: 2 });

test(
  "while ZooKeeper is killed for 10 s reads go on, and writes resume",
  { timeout: 180_000 },
  async () => {
    const stores = await openStores(settingsOf(lab()), 2);
    const traffic = new Traffic(stores, ["a", "b", "c", "d"]);
    await traffic.createLoadTests();
    const running = traffic.run();
    await setTimeout(2000);
    await lab().kill("zookeeper");
    const readsBefore = traffic.reads;
    await setTimeout(10_000);
    const readsMeanwhile = traffic.reads - readsBefore;
    await lab().startAgain("zookeeper");
    const begunBefore = traffic.ledger.begun.length;
    await expect
      .poll(() => traffic.ledger.begun.length, { timeout: 60_000 })
      .toBeGreaterThan(begunBefore + 20);
    traffic.end();
    await running;
    console.log(`${readsMeanwhile} reads without ZooKeeper; ${traffic.figures}`);
    expect(traffic.faults).toEqual([]);
    expect(traffic.refusals.filter((refusal) => refusal.includes("read"))).toEqual([]);
    expect(readsMeanwhile).toBeGreaterThan(20);

    const { ledger, loadTestIds } = traffic;
    for (const store of stores) expect(await traffic.resendAll(store)).toEqual([]);
    await lab().untilCaughtUp();
    await expectEqual(stores, await oracleOf(loadTestIds, ledger.begun), loadTestIds);
  },
);
