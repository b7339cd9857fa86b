import type { Store } from "../../src/store/store.ts";
import { batchOf, sample } from "./batches.ts";
import { loadTest } from "./load-tests.ts";

interface VersionRuns {
  readonly runs: number;
  readonly endpoints: number;
  readonly seconds: number;
}

/**
 * `v0` and on, a day apart, named `shop`, with a request of each endpoint in each second; property `version` is shared by neighbours.
 * From the second half of the runs on, every third endpoint takes 1.5 times as long; the last endpoint is only in the last run.
 */
export async function storeVersionRuns(
  store: Pick<Store, "loadTests" | "points">,
  { runs, endpoints, seconds }: VersionRuns,
): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const loadTestId = `v${run}`;
    const properties = { version: `8.${Math.floor(run / 2)}` };
    await store.loadTests.create({ ...loadTest(loadTestId), name: "shop", properties });
    const start = 1_700_000_000 + run * 86_400;
    const shown = run === runs - 1 ? endpoints : endpoints - 1;
    const ofRun = Array.from({ length: seconds * shown }, (_, index) => {
      const [endpoint, second] = [index % shown, Math.floor(index / shown)];
      const factor = endpoint % 3 === 0 && run >= runs / 2 ? 1.5 : 1;
      const noise = 1 + ((run * 7) % 5) / 200;
      const micros = (20_000 + ((second * 7 + endpoint) % 10) * 1000) * factor * noise;
      return {
        ...sample(`GET /${endpoint}`, start + second, Math.round(micros)),
        failed: endpoint === 1 && second % (run + 2) === 0,
      };
    });
    await store.points.append(batchOf(ofRun, { loadTestId }));
  }
}
