import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const HEY =
  "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n" +
  "0.0313,0,0,0,0,0,200,0.5\n0.0400,0,0,0,0,0,503,1.5\n";
const JMETER = "timeStamp,elapsed,label,success,bytes\n1700000000000,100,cart,true,10\n";

const folder = testFolder();
let hey = "";
let jmeter = "";

beforeAll(async () => {
  hey = path.join(folder, "hey.csv");
  jmeter = path.join(folder, "run.jtl");
  await writeFile(hey, HEY);
  await writeFile(jmeter, JMETER);
});

test("given a start and a label, a file without either can be imported", async () => {
  const program = createFakeProgram();
  const words = ["import", hey, "--id", "run", "--started-at", "2023-11-14T22:13:20.600Z"];
  const { exitCode, out } = await program.run([...words, "--label", "GET /cart"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("2023-11-14 22:13:21 UTC to 2023-11-14 22:13:22 UTC");
  expect(out).not.toContain("second 0");
  const answer = await program.run(["metrics", "run", "--filter", "GET /cart", "--format", "csv"]);
  expect(JSON.parse(answer.out)).toMatchObject([
    {
      label: "GET /cart",
      data: [
        expect.anything(),
        ["1700000001", "0.0313", "1", "0", "0", "0", "0"],
        ["1700000002", "0.04", "1", "0", "0.04", "1", "0"],
      ],
    },
  ]);
});

test("without the start of the run, the report says what is missing and how to supply it", async () => {
  const { exitCode, out } = await createFakeProgram().run(["import", hey]);
  expect(exitCode).toBe(0);
  expect(out).toContain("all requests are at second 0, unless --started-at says when that was");
});

test("an unneeded start is reported, not ignored", async () => {
  const { out } = await createFakeProgram().run(["import", jmeter, "--started-at", "1700000000"]);
  expect(out).toContain("note: the start of the run was not used: the source has its own times\n");
});

test.each([
  { words: ["--started-at", "yesterday"], says: 'cannot read the time "yesterday"' },
  { words: ["--label", "{status}"], says: 'has no field "status", known are "response-time"' },
  { words: ["--label", "{"], says: "got a single {, want {field}, or {{ and }} for braces" },
])("$words is a usage error and stores nothing", async ({ words, says }) => {
  const program = createFakeProgram();
  const { exitCode, out, error } = await program.run(["import", hey, ...words]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(says);
  expect(JSON.parse((await program.run(["tests", "list", "--json"])).out)).toEqual([]);
});

test("a file given twice is followed once", async () => {
  const program = createFakeProgram();
  const sameFile = path.join(folder, ".", "..", path.basename(folder), "run.jtl");
  const words = [
    "import",
    "--follow",
    "--id",
    "run",
    "--json",
    jmeter,
    `${folder}/./run.jtl`,
    sameFile,
  ];
  const { exitCode, out } = await program.run(words);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ samples: { recorded: 1 } });
  const summary = await program.run(["summary", "run", "--json"]);
  expect(JSON.parse(summary.out)).toMatchObject({ overall: { count: 1 } });
});
