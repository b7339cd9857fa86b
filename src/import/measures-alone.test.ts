import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const FILE = path.join(
  import.meta.dirname,
  "../../test/fixtures/artillery/gen-artillery-2.0.34-metrics-by-endpoint.json.gz",
);

test("a file of measures of servers changes no figure of a run", async () => {
  const program = createFakeProgram();
  await program.run(["import", FILE, "--id", "run"]);
  const figures = async () => {
    const { overall, endpoints } = JSON.parse(
      (await program.run(["summary", "run", "--json"])).out,
    );
    return { overall, endpoints };
  };
  const before = await figures();
  expect(JSON.stringify(before)).toContain('"percentileOrigin":"reported"');
  const lines = [1, 2, 3].map((value) => `cpu,host=db usage=${value} 179523256${value}000000000\n`);
  const imported = await program.run(["import", "-", "--id", "run"], lines.join(""));
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(await figures()).toEqual(before);
  // One request, and what was read of it is merged with the others.
  await program.run(
    ["import", "-", "--id", "run"],
    "timeStamp,elapsed,label,success\n1795232560000,10,a,true\n",
  );
  expect(JSON.stringify(await figures())).not.toContain('"percentileOrigin":"reported"');
});
