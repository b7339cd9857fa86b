import { MeasureAccumulator } from "../../src/aggregate/measure-accumulator.ts";
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
 * Measures are `cpu`, twice as high from the second half on, and in all but the second run `errors`.
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
    const measures = measuresOf({ start, seconds, level: run >= runs / 2 ? 60 : 30 }, run !== 1);
    await store.points.append(batchOf(ofRun, { loadTestId, measures }));
  }
}

interface Level {
  readonly start: number;
  readonly seconds: number;
  readonly level: number;
}

function measuresOf({ start, seconds, level }: Level, hasErrors: boolean) {
  const values = new MeasureAccumulator();
  const about = { label: undefined, unit: "", tags: [] };
  const cpu = values.seriesOf({ ...about, name: "cpu", kind: "gauge" });
  const errors = values.seriesOf({ ...about, name: "errors", kind: "counter" });
  for (let second = 0; second < seconds; second++) {
    const atMs = 1000 * (start + second);
    values.add(cpu, atMs, level + ((second * 7) % 5));
    if (hasErrors) values.add(errors, atMs, second % 3);
  }
  return values.take();
}
