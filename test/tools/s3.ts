/**
 * Imports eight parts from a real S3 server (moto, with its signature checks on) through a proxy that breaks 50
 * connections, and compares the run with that of the local file in all formats:
 *
 *     npm run task test:s3 [-- --require]
 *
 * Exits with 1 if anything differs, or, with --require, if moto cannot be installed.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as sendTo } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { runTachograph } from "../support/run-tachograph.ts";
import { installTool } from "./install.ts";
import { runCommand } from "./run-command.ts";

const VERSION = "5.2.5";
const PARTS = 8;
const ROWS = 8_000;
const CUTS = 50;

/** Creates a read-only user, the bucket and its objects; prints the user's key. */
const SET_UP = `
import boto3, json, sys
endpoint, folder, parts = sys.argv[1], sys.argv[2], int(sys.argv[3])
common = dict(endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
iam, s3 = boto3.client("iam", **common), boto3.client("s3", **common)
iam.create_user(UserName="reader")
allowed = {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}
iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [allowed]}))
s3.create_bucket(Bucket="results")
for part in range(parts):
    s3.upload_file(f"{folder}/part {part}.jtl.gz", "results", f"nightly/part {part}+ä.jtl.gz")
s3.put_object(Bucket="results", Key="nightly/notes.txt", Body=b"no result")
key = iam.create_access_key(UserName="reader")["AccessKey"]
print(json.dumps([key["AccessKeyId"], key["SecretAccessKey"]]))
`;

async function main(): Promise<number> {
  let python: string;
  try {
    const folder = await installTool({ name: "moto", version: VERSION, install });
    python = path.join(folder, "venv", "bin", "python");
  } catch (error) {
    console.log(`SKIPPED  moto ${VERSION}: it cannot be installed: ${String(error)}`);
    return process.argv.includes("--require") ? 1 : 0;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-s3-"));
  const port = await freePort();
  const moto = spawn(python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", `${port}`], {
    stdio: "ignore",
  });
  try {
    const differences = await compare(python, `http://127.0.0.1:${port}`, folder);
    console.log(`${differences.length === 0 ? "equal  " : "DIFFERS"}  moto ${VERSION}`);
    for (const line of differences) console.log(`         ${line}`);
    return differences.length === 0 ? 0 : 1;
  } finally {
    moto.kill();
    rmSync(folder, { recursive: true });
  }
}

async function install(folder: string): Promise<void> {
  const log = path.join(folder, "install.log");
  await runCommand("python3", ["-m", "venv", "venv"], { cwd: folder, log });
  const packages = ["-m", "pip", "install", "--quiet", `moto[s3,iam,server]==${VERSION}`];
  await runCommand(path.join(folder, "venv", "bin", "python"), packages, { cwd: folder, log });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function compare(python: string, moto: string, folder: string): Promise<readonly string[]> {
  const all = path.join(folder, "all.jtl");
  writeParts(folder, all);
  await untilReady(moto);
  const [id, secret] = await setUp(python, [moto, folder, `${PARTS}`]);
  await fetch(`${moto}/moto-api/reset-auth`, { method: "POST", body: "0" });
  const proxy = await startCuttingProxy(moto);
  const data = path.join(folder, "data");
  const environment = {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_S3: proxy.url,
  };
  const words = ["import", "s3://results/nightly/*.jtl.gz", "--id", "remote", "--data", data];
  const remote = await runTachograph(words, { environment });
  const differences: string[] = [];
  if (remote.exitCode !== 0) differences.push(`import from S3: ${remote.error}`);
  if (proxy.cuts() !== CUTS) differences.push(`connections broken: ${proxy.cuts()}`);
  proxy.close();
  const wrong = await runTachograph([...words, "--again"], {
    environment: { ...environment, AWS_SECRET_ACCESS_KEY: "wrong", AWS_ENDPOINT_URL_S3: moto },
  });
  if (!wrong.error.includes("403 SignatureDoesNotMatch")) {
    differences.push(`a wrong key: ${wrong.error}`);
  }
  await runTachograph(["import", all, "--id", "local", "--data", data]);
  return [...differences, ...(await compareMetrics(data))];
}

/** Splits the rows of `all` into eight compressed files. */
function writeParts(folder: string, all: string): void {
  const header = "timeStamp,elapsed,label,responseCode,success,bytes\n";
  const rows = Array.from({ length: PARTS * ROWS }, (_, row) => {
    const elapsed = 5 + ((row * 7919) % 400);
    const isPassed = row % 97 !== 0;
    return `${1_790_000_000_000 + row * 9},${elapsed},GET /${row % 23},${isPassed ? 200 : 503},${isPassed},${row % 5000}\n`;
  });
  writeFileSync(all, header + rows.join(""));
  for (let part = 0; part < PARTS; part += 1) {
    const own = rows.filter((_, row) => row % PARTS === part);
    writeFileSync(path.join(folder, `part ${part}.jtl.gz`), gzipSync(header + own.join("")));
  }
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isReady = await fetch(`${url}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("moto did not start within 30 s");
}

async function setUp(python: string, args: readonly string[]): Promise<readonly [string, string]> {
  const child = spawn(python, ["-c", SET_UP, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  await once(child, "close");
  return JSON.parse(out) as [string, string];
}

/** Forwards requests, and cuts the first 50 responses to objects after 2,000 bytes. */
async function startCuttingProxy(target: string) {
  let cuts = 0;
  const server = createServer((request, response) => {
    const isObject = request.url?.includes(".jtl.gz") === true;
    const { method, headers } = request;
    sendTo(target + request.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!isObject || cuts === CUTS) {
        answer.pipe(response);
        return;
      }
      cuts += 1;
      answer.once("data", (chunk: Buffer) => {
        response.write(chunk.subarray(0, 2_000), () => response.destroy());
        answer.destroy();
      });
    }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The differences between the load tests `local` and `remote` in all formats. */
async function compareMetrics(data: string): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const format of [["--format", "csv"], ["--format", "xy"], []]) {
    const read = async (id: string) =>
      (await runTachograph(["metrics", id, "--filter", "/", ...format, "--data", data])).out;
    const local = await read("local");
    if (local.length < 10_000) differences.push(`local ${format[1]}: too short: ${local}`);
    if (local !== (await read("remote"))) differences.push(`remote ${format[1]} differs`);
  }
  return differences;
}

process.exitCode = await main();
