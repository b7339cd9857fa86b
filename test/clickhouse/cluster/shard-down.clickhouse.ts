import { expect, test } from "vitest";
import { batchOf, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { createTestServer } from "../../support/test-server.ts";
import { labForTests } from "../lab/lab-for-tests.ts";
import { openStores } from "../stores/open-stores.ts";
import { settingsOf } from "../stores/servers-for-tests.ts";

const lab = labForTests({ shards: 2, replicas: 2 });

const IDS = Array.from({ length: 12 }, (_, index) => `load-test-${index}`);

/** Status, `Retry-After` and error code of a response. */
const WELL = [200, undefined, undefined];

test("load tests of a shard that is down are answered with 503, all others as ever", async () => {
  const [store] = await openStores(settingsOf(lab()), 1);
  if (store === undefined) throw new Error("BUG: no store");
  for (const id of IDS) {
    await store.loadTests.create(loadTest(id));
    await store.points.append(batchOf([sample("a", 1)], { loadTestId: id }));
  }
  await lab().untilCaughtUp();
  const { server, key } = await createTestServer({ store });
  const ask = async (id: string): Promise<readonly (number | string | undefined)[]> => {
    const { statusCode, headers, body } = await server.inject({
      url: `/Api/Metrics?loadTestId=${id}&filter=a`,
      headers: { "X-Service-Auth": key },
    });
    const code = /"type":".*?([\w-]+)"/.exec(body)?.[1];
    return [statusCode, headers["retry-after"]?.toString(), code];
  };
  const expectWell = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) expect([id, ...(await ask(id))]).toEqual([id, ...WELL]);
  };
  await expectWell(IDS);
  const onFirst = await idsOn("s1r1");
  const onSecond = await idsOn("s2r1");
  expect([...onFirst, ...onSecond].toSorted()).toEqual(IDS.toSorted());
  expect(Math.min(onFirst.length, onSecond.length)).toBeGreaterThan(0);

  for (const name of ["s2r1", "s2r2"]) await lab().kill(name);
  await expectWell(onFirst);
  const answers = await Promise.all(onSecond.map(ask));
  expect(answers).toEqual(onSecond.map(() => [503, "5", "store-unreachable"]));

  for (const name of ["s2r1", "s2r2"]) await lab().startAgain(name);
  await lab().untilCaughtUp();
  await expectWell(IDS);
});

/** Load tests with points on this server, according to the server itself. */
async function idsOn(name: string): Promise<string[]> {
  const server = lab().server(name);
  const databases = await server.sql("SELECT name FROM system.databases WHERE name LIKE 't\\\\_%'");
  const table = `${databases.trim()}.measurements`;
  return (await server.sql(`SELECT DISTINCT load_test_id FROM ${table}`)).trim().split("\n");
}
