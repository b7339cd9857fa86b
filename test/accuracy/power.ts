/** How many of the growths that `power` calls detectable `check` finds, over a grid. Prints a Markdown table. */

import { POWER_FIGURES, type PowerShape, type PowerTrial, tryPower } from "./power-trials.ts";
import { expectWithin, printRows } from "./print-table.ts";

const TRIALS = 100;
const SPREADS = [0, 0.02, 0.05, 0.1];
const SECONDS = [60, 120, 600];
const RATES = [5, 20, 100];

export async function printPower(): Promise<void> {
  const shapes = SPREADS.flatMap((spread) =>
    SECONDS.flatMap((seconds) =>
      RATES.map((requestsPerSecond) => ({ spread, seconds, requestsPerSecond })),
    ),
  );
  const figures = Object.values(POWER_FIGURES).flatMap((name) => [name, `${name}: found`]);
  await printRows(["spread", "length", "requests/s", ...figures], rowsOf(shapes));
}

async function* rowsOf(shapes: readonly PowerShape[]) {
  for (const shape of shapes) {
    const trials: PowerTrial[] = [];
    for (let seed = 1; seed <= TRIALS; seed++) trials.push(await tryPower(shape, seed));
    const { spread, seconds, requestsPerSecond } = shape;
    const cells = Object.keys(POWER_FIGURES).flatMap((figure) => {
      const known = trials.flatMap((trial) => trial[figure as keyof PowerTrial] ?? []);
      const middle = known.map(({ detectable }) => detectable).toSorted((a, b) => a - b);
      const found = known.filter(({ isFound }) => isFound).length;
      if (known.length === 0) return ["nothing", "-"];
      const name = `${figure} at ${spread}, ${seconds} s, ${requestsPerSecond}/s`;
      // 9 of 10: 85 to 95, and two of 100 more. The longest runs have less noise than it is taken for.
      const most = spread === 0 && seconds * requestsPerSecond > 12_000 ? 1 : 0.97;
      expectWithin(`${name}: found`, found / known.length, { least: 0.83, most });
      const percent = 100 * (middle[Math.floor(known.length / 2)] ?? 0);
      return [`${percent.toPrecision(2)} %`, `${found} of ${known.length}`];
    });
    yield [`${100 * spread} %`, `${seconds} s`, requestsPerSecond, ...cells];
  }
}
