import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { HEADER } from "../../../test/support/imports.ts";

/** 20 requests, one a second, 4 of them failed, and 20 debug samplers, 10 of them failed. */
const FILE =
  HEADER +
  Array.from({ length: 20 }, (_, at) => [
    `17000000${10 + at}000,100,chat,${at % 5 !== 0},10\n`,
    `17000000${10 + at}500,7,Debug Sampler,${at % 2 === 0},0\n`,
  ])
    .flat()
    .join("");

const program = createFakeProgram();
beforeAll(async () => {
  await program.run(["import", "-", "--id", "run", "--ignore", "Debug*"], FILE);
});

async function countsOf(): Promise<unknown> {
  const { out } = await program.run(["tests", "show", "run", "--json"]);
  const { requests, failedRequests, labels, quality } = JSON.parse(out);
  const messages = quality.map(({ message }: { message: string }) => message);
  return [requests, failedRequests, labels, messages.filter((each: string) => /Debug/.test(each))];
}

test("labels that an import has left out can be turned back, and into a measure", async () => {
  const leftOut = 'left out of "standard input" on demand: Debug Sampler (20 requests)';
  const measured = 'not requests of "standard input", but measures: Debug Sampler (20 values)';
  expect(await countsOf()).toEqual([20, 4, ["chat"], [leftOut]]);
  await program.run(["tests", "labels", "run"]);
  expect(await countsOf()).toEqual([40, 14, ["Debug Sampler", "chat"], []]);
  const check = ["check", "run", "--fail-if", "measure Debug Sampler: max > 5"];
  expect((await program.run(check)).out).toContain("no such measure");
  await program.run(["tests", "labels", "run", "--measure", "Debug*"]);
  expect(await countsOf()).toEqual([20, 4, ["chat"], [measured]]);
  expect((await program.run(check)).exitCode).toBe(4);
  await program.run(["tests", "labels", "run", "--ignore", "Debug*"]);
  expect(await countsOf()).toEqual([20, 4, ["chat"], [leftOut]]);
});
