import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { gunzipSync } from "node:zlib";
import { sample } from "../../../test/support/batches.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import type { WrittenAbout } from "../../analysis/report/write-report.ts";
import { unpackReports } from "../../render/report-bytes.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const RESULTS = `timeStamp,elapsed,label,success,bytes
1700000000000,100,cart,true,10
1700000001000,300,pay,false,30
`;

const program = createFakeProgram();
const folder = testFolder();

beforeAll(async () => {
  await program.run(["import", "-", "--id", "run", "--name", "<b>"], RESULTS);
});

test("report writes a file and says what it contains", async () => {
  const file = path.join(folder, "report.html");
  const { exitCode, out, error } = await program.run(["report", "run", "-o", file]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "" });
  expect(error).toMatch(/report\.html: a report of \d+ B\n$/);
  expect(await readFile(file, "utf8")).toContain("<title>&lt;b&gt; · Tachograph</title>");
});

test("report writes to standard output on request", async () => {
  const { exitCode, out } = await program.run(["report", "run", "--filter", "cart", "-o", "-"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("<title>");
});

test("a report from a server is the server's own and names its URL", async () => {
  const world = await createTestServer({ samples: [sample("a", 10)] });
  const url = await world.server.listen();
  const server = ["--url", url, "--key", world.key];
  const { exitCode, out } = await program.run(["report", "run", "-o", "-", ...server]);
  const missing = await program.run(["report", "no", "-o", "-", ...server]);
  await world.server.close();
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^<title>name of run · Tachograph<\/title>/);
  expect(aboutIn(out)?.address).toBe(`${url}/t/run`);
  expect(missing).toMatchObject({ exitCode: 1, out: "" });
});

function aboutIn(html: string): WrittenAbout | undefined {
  const contents = />([A-Za-z0-9+/=]{20,})/.exec(html)?.[1] ?? "";
  return unpackReports<WrittenAbout>(gunzipSync(Buffer.from(contents, "base64")))[0]?.about;
}

test("a report of a run on disk has the comparison with its baseline, too", async () => {
  const results = RESULTS.replace("100,cart", "80,cart");
  await program.run(["import", "-", "--id", "before", "--name", "<b>"], results);
  await program.run(["tests", "baseline", "before"]);
  const { out } = await program.run(["report", "run", "-o", "-"]);
  const { loadTests, overall } = aboutIn(out)?.baseline ?? {};
  expect(loadTests?.map(({ id }) => id)).toEqual(["before", "run"]);
  // Of 80 and 300 ms, and of 100 and 300 ms.
  expect(overall?.map(({ avgLoadTime }) => avgLoadTime.value)).toEqual([0.19, 0.2]);
});

test("the sign-in page of a proxy is not saved as a report", async () => {
  const proxy = createServer((request, response) => {
    const isReport = request.url?.includes("Report") ?? false;
    response.setHeader("Content-Type", isReport ? "text/html" : "application/json");
    response.end("<html>Sign in</html>");
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const words = ["report", "run", "-o", "-", "--url", url, "--key", "tgk_key"];
  const { exitCode, out, error } = await program.run(words);
  proxy.close();
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(error).toContain("sent another page than a report");
});

test.each([
  ["a file that is not named", ["report", "run"], 2, "required option '-o, --output <file>'"],
  ["an unknown load test", ["report", "other", "-o", "-"], 1, "other"],
  ["a folder that is not there", ["report", "run", "-o", "/nowhere/a.html"], 2, "cannot write"],
  ["a wrong range", ["report", "run", "-o", "-", "--from", "5", "--until", "5"], 2, "--from must"],
])("report refuses %s", async (_, words, code, message) => {
  const { exitCode, out, error } = await program.run(words);
  expect({ exitCode, out }).toEqual({ exitCode: code, out: "" });
  expect(error).toContain(message);
});

test("report --pdf prints with the named program, and says what to do without one", async () => {
  const browser = path.join(folder, "browser");
  // Prints the size of the page that it was given.
  await writeFile(
    browser,
    `#!/bin/sh
for each; do case $each in --print-to-pdf=*) pdf=\${each#*=};; file://*) page=\${each#file://};; esac; done
printf '%%PDF-1.4 %s' "$(wc -c < "$page")" > "$pdf"
`,
    { mode: 0o755 },
  );
  const file = path.join(folder, "report.pdf");
  const words = ["report", "run", "--pdf", "-o", file];
  expect((await program.run([...words, "--browser", browser])).exitCode).toBe(0);
  expect(await readFile(file, "utf8")).toMatch(/^%PDF-1\.4 [1-9]\d\d+$/);
  const silent = await program.run([...words, "--browser", "/bin/true"]);
  expect(silent).toMatchObject({ exitCode: 2 });
  expect(silent.error).toContain('"/bin/true" printed nothing');
  const none = await program.run(words);
  expect(none).toMatchObject({ exitCode: 2 });
  expect(none.error).toMatch(/no Chromium, Chrome or Edge is installed.*--browser/);
});
