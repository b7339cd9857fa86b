import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

test("summary --csv prints a row for all endpoints and one for each, times in seconds", async () => {
  const program = createFakeProgram();
  const rows = '1700000000000,100,"a ""b"", =c",true,10\n1700000001000,300,=sum(1),false,30\n';
  await program.run(
    ["import", "-", "--id", "sum"],
    `timeStamp,elapsed,label,success,bytes\n${rows}`,
  );
  const { exitCode, out } = await program.run(["summary", "sum", "--csv"]);
  expect(exitCode).toBe(0);
  const [head = [], ...table] = parse(out);
  const figures = table.map((row) => {
    const cells = Object.fromEntries(head.map((name, column) => [name, row[column]]));
    return [cells["label"], cells["count"], cells["errRate"], cells["avgLoadTime"], cells["apdex"]];
  });
  expect(figures).toEqual([
    ["(all)", "2", "0.5", "0.2", ""],
    ["'=sum(1)", "1", "1", "0.3", ""],
    ['a "b", =c', "1", "0", "0.1", ""],
  ]);
});
