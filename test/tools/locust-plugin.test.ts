import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";

const INTEGRATION = path.join(import.meta.dirname, "../../integrations/locust");
const DRIVER = path.join(import.meta.dirname, "locust/drive_plugin.py");

let folder: string;
const listening: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "locust-plugin-"));
});
afterEach(async () => {
  for (const server of listening.splice(0)) server.close().closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  listening.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the plugin prints and leaves behind after one failed request. */
async function runPlugin(
  url: string,
  message: string,
  { answered = 0, samples = "" }: { readonly answered?: number; readonly samples?: string } = {},
): Promise<string> {
  const settings = { PYTHONPATH: INTEGRATION, PYTHONDONTWRITEBYTECODE: "1" };
  const env = { ...process.env, ...settings, ...(samples && { TACHOGRAPH_SAMPLES: samples }) };
  const args = [DRIVER, url, folder, message, `${answered}`];
  const { stdout } = await promisify(execFile)("python3", args, { env });
  return stdout;
}

test("a redirect is not followed with the key, and loses nothing", async () => {
  const visitors: unknown[] = [];
  const elsewhere = await listen((request, response) => {
    visitors.push(request.headers["x-service-auth"]);
    response.end("<html>Please log in</html>");
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await listen((_, response) => {
      response.writeHead(status, { Location: `${elsewhere}/login` }).end();
    });
    const printed = await runPlugin(url, "x");
    expect(printed).toContain(
      `WARNING ${url} answered ${status} with a redirect to ${elsewhere}/login, trying again`,
    );
    expect(printed).toContain("left .lines");
    await rm(folder, { recursive: true });
  }
  expect(visitors).toEqual([]);
});

test("only 204 counts as stored", async () => {
  const url = await listen((_, response) => response.end("<html>Please log in</html>"));
  const printed = await runPlugin(url, "x");
  expect(printed).toContain(`WARNING ${url} answered 200, trying again: <html>Please log in`);
  expect(printed).toContain("left .lines");
});

test("only its own user can read what waits: requests have their keys until the server removes them", async () => {
  const url = await listen((_, response) => response.writeHead(503).end());
  expect(await runPlugin(url, "x")).toContain("left .lines");
  const all = await readdir(folder, { recursive: true });
  const files = all.filter((file) => file.endsWith(".lines"));
  expect(files).toHaveLength(1);
  const { mode } = await stat(path.join(folder, files[0] ?? "", ".."));
  expect((mode & 0o777).toString(8)).toBe("700");
});

test("what is no HTTP does not end the sender", async () => {
  const url = await listen((_, response) => {
    response.socket?.end("hello\r\n\r\n");
  });
  const printed = await runPlugin(url, "x");
  expect(printed).toContain(`WARNING cannot send to ${url}, trying again`);
  expect(printed).toContain("left .lines");
});

test("line ends of a failure message are escaped, so that the message cannot be read as points", async () => {
  const bodies: string[] = [];
  const url = await listen(async (request, response) => {
    bodies.push(gunzipSync(Buffer.concat(await request.toArray())).toString());
    response.writeHead(204).end();
  });
  expect(await runPlugin(url, 'got "a\\\r\nb\n\n  c"')).toBe("");
  expect(bodies.map((body) => body.split("\n").slice(1))).toEqual([
    [
      String.raw`tachograph,generator=a label="GET /pay",elapsedMs=12.50,success=false,receivedBytes=7i,users=1i,userClass="Shopper",hostname="${hostname()}",code="",message="got \"a\\\r\nb\n\n  c\"" 1700000000250000`,
      "",
    ],
  ]);
});

test("requests that end while Locust quits are sent", async () => {
  const lines: string[] = [];
  const url = await listen(async (request, response) => {
    const body = gunzipSync(Buffer.concat(await request.toArray())).toString();
    lines.push(...body.split("\n").filter((line) => line.startsWith("tachograph,")));
    response.writeHead(204).end();
  });
  expect(await runPlugin(url, "x", { answered: 5 })).toBe("");
  expect(lines).toHaveLength(6);
});

test("six failures of a kind have headers and bodies, a little longer than the server keeps, unless they are switched off", async () => {
  const lines: string[] = [];
  const url = await listen(async (request, response) => {
    const body = gunzipSync(Buffer.concat(await request.toArray())).toString();
    lines.push(...body.split("\n").filter((line) => line.includes("POST /pay")));
    response.writeHead(204).end();
  });
  await runPlugin(url, "x", { answered: 9 });
  expect(lines).toHaveLength(9);
  const whole = lines.filter((line) => line.includes("responseBody="));
  expect(whole).toHaveLength(6);
  const body = `n=\ufffd${"x".repeat(4197)}`;
  const texts = String.raw`method="POST",url="http://a/pay",requestHeaders="Accept: */*",requestBody="${body}",responseHeaders="A: b",responseBody="say \"no\"\nagain" 17000000`;
  expect(whole[0]).toContain(`,code="503",message="x",${texts}`);
  await runPlugin(url, "x", { answered: 9, samples: "false" });
  expect(lines).toHaveLength(18);
  expect(lines.filter((line) => line.includes("responseBody="))).toHaveLength(6);
});
