import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

/** A request a second for two minutes; those of eu begin after 40 s, and take 10 ms for the first 40 s. */
function results(start: number, slowMs: number): string {
  const rows = Array.from({ length: 120 }, (_, second) => {
    const at = start + second;
    const elapsed = second < 80 ? 10 : slowMs;
    return `${at},GET /,10,true,us\n${second < 40 ? "" : `${at},GET /cart,${elapsed},true,eu\n`}`;
  });
  return `timestamp,label,elapsedMs,success,facet.region\n${rows.join("")}`;
}

const program = createFakeProgram();
await program.run(["import", "-", "--id", "base"], results(1_790_000_000, 20));
await program.run(["import", "-", "--id", "later"], results(1_790_001_000, 40));

test("the start of the run is skipped, not that of the requests with a facet", async () => {
  const words = ["compare", "base", "later", "--skip-start", "30s", "--json", "--where"];
  const { out } = await program.run([...words, "region:eu"]);
  // 40 of 10 ms and 40 of 40 ms.
  expect(JSON.parse(out).overall).toMatchObject({
    count: { value: 80 },
    avgLoadTime: { value: 0.025 },
  });
});
