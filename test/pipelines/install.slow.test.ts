/** Runs the lines of the templates that install the package with the real npm. No registry is reached: a server here refuses. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createJob, type Job } from "./hosting.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const TARBALL = "tools/tachograph-0.1.0.tgz";

const action = parse(readFileSync(path.join(ROOT, "action.yml"), "utf8")) as {
  readonly runs: { readonly steps: readonly { readonly run: string }[] };
};
const gitlab = parse(readFileSync(path.join(ROOT, "deploy/gitlab.yml"), "utf8")) as {
  readonly ".tachograph": { readonly script: readonly string[] };
};
const TEMPLATES = {
  GitHub: action.runs.steps[0]?.run ?? "",
  GitLab: gitlab[".tachograph"].script[0] ?? "",
};

let job: Job;
let integrity: string;
let environment: Record<string, string>;
const asked: (string | undefined)[] = [];
const registry = createHttpServer((request, response) => {
  asked.push(request.url);
  response.writeHead(404).end("{}");
});
let files: Server;

beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-install-"));
  job = createJob(folder);
  // The real one. Nothing may ask git for a repository.
  rmSync(path.join(folder, "programs/npm"));
  writeFileSync(path.join(folder, "programs/git"), "#!/bin/sh\necho $* >> git.calls\nexit 1\n", {
    mode: 0o755,
  });
  for (const each of ["package", "tools", "installed"]) mkdirSync(path.join(folder, each));
  const about = { name: "tachograph", version: "0.1.0" };
  writeFileSync(path.join(folder, "package/package.json"), JSON.stringify(about));
  const packed = execFileSync("npm", ["pack", "--json", "./package"], { cwd: folder });
  integrity = (JSON.parse(packed.toString()) as { integrity: string }[])[0]?.integrity ?? "";
  const tarball = readFileSync(path.join(folder, "tachograph-0.1.0.tgz"));
  rmSync(path.join(folder, "tachograph-0.1.0.tgz"));
  writeFileSync(path.join(folder, TARBALL), tarball);
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name));
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", `${key}`, "-out", `${cert}`];
  execFileSync("openssl", ["req", "-x509", "-days", "2", ...made, ...subject], { stdio: "ignore" });
  files = createHttpsServer(
    { key: readFileSync(`${key}`), cert: readFileSync(`${cert}`) },
    (_, response) => void response.end(tarball),
  );
  for (const server of [registry, files]) await once(server.listen(0, "127.0.0.1"), "listening");
  environment = {
    CURL_CA_BUNDLE: `${cert}`,
    npm_config_registry: `http://127.0.0.1:${portOf(registry)}`,
    npm_config_prefix: path.join(folder, "installed"),
    npm_config_cache: path.join(folder, "cache"),
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
  };
});

afterAll(() => {
  for (const server of [registry, files]) server.close();
  rmSync(job.folder, { recursive: true });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function install(lines: string, source: string) {
  const installed = path.join(job.folder, "installed/lib/node_modules/tachograph");
  rmSync(installed, { recursive: true, force: true });
  asked.length = 0;
  const outcome = await job.run(lines, { ...environment, TACHOGRAPH_PACKAGE: source });
  return { ...outcome, isInstalled: existsSync(installed), asked: [...asked] };
}

const templates = Object.entries(TEMPLATES);

test.each(templates)(
  "%s: a tarball in a folder of the repository is that file",
  async (_, lines) => {
    expect(await install(lines, TARBALL)).toMatchObject({
      exitCode: 0,
      isInstalled: true,
      asked: [],
    });
    expect(job.file("git.calls")).toBe("");
  },
);

test.each(templates)("%s: a tarball at an https address needs its hash", async (_, lines) => {
  const address = `https://127.0.0.1:${portOf(files)}/tachograph.tgz`;
  const whole = await install(lines, `${address}#${integrity}`);
  expect(whole).toMatchObject({ exitCode: 0, isInstalled: true });
  const other = await install(lines, `${address}#sha512-${"A".repeat(86)}==`);
  expect(other).toMatchObject({ exitCode: 2, isInstalled: false });
  expect(other.printed).toContain(`expected the hash sha512-${"A".repeat(86)}==, got ${integrity}`);
});

test.each(templates)("%s: an exact version is asked of the registry", async (_, lines) => {
  const outcome = await install(lines, "tachograph@0.1.0");
  expect(outcome).toMatchObject({ isInstalled: false, asked: ["/tachograph"] });
  expect(outcome.exitCode).not.toBe(0);
});

test.each(
  templates.flatMap(([name, lines]) =>
    [
      "tools/other-0.1.0.tgz",
      "shop/checkout",
      "tachograph",
      "tachograph@latest",
      "tachograph@^0.1.0",
      "https://example.org/tachograph.tgz",
      "http://example.org/tachograph.tgz#sha512-AAAA",
      "git+ssh://git@example.org/tachograph.git",
      "--global-style",
    ].map((source) => [name, source, lines] as const),
  ),
)("%s: %s is refused before npm sees it", async (_, source, lines) => {
  const outcome = await install(lines, source);
  expect(outcome).toMatchObject({ exitCode: 2, isInstalled: false, asked: [] });
  expect(outcome.printed).toContain(`expected a file, https://…#sha512-… or tachograph@1.2.3, got`);
});
