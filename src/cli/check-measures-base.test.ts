import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

/** A minute of a gauge of each host. */
function gauge(start: number, values: Readonly<Record<string, number>>): string {
  const lines = Object.entries(values).flatMap(([host, value]) =>
    Array.from(
      { length: 60 },
      (_, second) => `depth,host=${host} value=${value} ${start + second}000000000`,
    ),
  );
  return lines.join("\n");
}

const program = createFakeProgram();
await program.run(["import", "-", "--id", "old"], gauge(1_700_000_000, { a: 0, b: 0 }));
await program.run(["import", "-", "--id", "new"], gauge(1_700_001_000, { a: 5, c: 5 }));
await program.run(["import", "-", "--id", "alike"], gauge(1_700_002_000, { a: 0, b: 0 }));

async function check(id: string, base: string, limit: string) {
  const words = ["check", id, "--against", base, "--fail-if", limit];
  const { exitCode, out } = await program.run(words);
  return [exitCode, ...out.split("\n").slice(1, -1)].map((line) =>
    `${line}`.replaceAll(/ +/g, " "),
  );
}

test.each([
  ["new", "old", "avg grows > 10%", "no verdict", "0 → 5: growth from 0 has no percentage"],
  ["new", "old", "p75 grows > 10%", "no verdict", "0 → 5: growth from 0 has no percentage"],
  ["new", "old", "avg falls > 10%", "ok", "0 → 5: growth from 0 has no percentage"],
  ["alike", "old", "avg grows > 10%", "ok", "0 → 0"],
  ["old", "new", "p75 falls > 10%", "no verdict", "5 → 0 (-100 %), noise is unknown"],
])("%s against %s: %s is %s, as %s", async (id, base, condition, ...expected) => {
  const [exitCode, row] = await check(id, base, `measure depth: ${condition}`);
  expect(exitCode).toBe("0");
  expect(row).toContain(expected.join(` measure depth: ${condition} `));
});

test.each(["avg", "p75"])(
  "%s of a host that is gone fails, and of a new one has no verdict",
  async (statistic) => {
    const limit = `measure depth by host: ${statistic} grows > 10%`;
    const [exitCode, ...rows] = await check("new", "old", limit);
    expect(exitCode).toBe("4");
    expect(rows.slice(0, 3)).toEqual(
      [
        ["no verdict", "a", "0 → 5: growth from 0 has no percentage"],
        ["no verdict", "c", "no values to compare with"],
        ["FAILED", "b", "no such measure in this run"],
      ].map(
        ([result, host, found]) =>
          `${result} measure depth{host=${host}}: ${statistic} grows > 10% ${found}`,
      ),
    );
  },
);
