/** The files that others start the service with. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createFakeProgram } from "../support/fake-program.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const UNIT = path.join(ROOT, "deploy/tachograph.service");
const COMPOSE = path.join(ROOT, "deploy/compose.yaml");
const CONTAINERFILE = path.join(ROOT, "Containerfile");

/** Of ten; services that are not hardened have more than nine. */
const EXPOSURE_MAX = 1.5;

const hasAnalyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasAnalyzer)("systemd takes the unit without a complaint", () => {
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", UNIT], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.skipIf(!hasAnalyzer)("systemd finds the unit exposed to little", () => {
  const threshold = `--threshold=${EXPOSURE_MAX * 10}`;
  const words = ["security", "--offline=true", "--no-pager", threshold, UNIT];
  expect(spawnSync("systemd-analyze", words, { encoding: "utf8" })).toMatchObject({ status: 0 });
});

test.each([
  ["", "/health/ready"],
  ["/", "/health/ready"],
  ["/load-tests", "/load-tests/health/ready"],
])("a container below %j asks %s whether it is healthy", async (base, place) => {
  const [, words = "[]"] =
    /^HEALTHCHECK CMD (.+)$/m.exec(readFileSync(CONTAINERFILE, "utf8")) ?? [];
  const [, ...rest] = JSON.parse(words) as string[];
  const service = createServer(({ url }, response) => {
    response.writeHead(url === place ? 200 : 404).end();
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  const env = { TACHOGRAPH_PORT: String(port), TACHOGRAPH_BASE_PATH: base };
  const [exitCode] = (await once(spawn(process.execPath, rest, { env }), "exit")) as [number];
  service.close();
  expect(exitCode).toBe(0);
});

test.each([UNIT, COMPOSE, CONTAINERFILE])("%s names no setting that is not there", async (file) => {
  const { out } = await createFakeProgram().run(["config", "--json"]);
  const known = (JSON.parse(out) as { variable: string }[]).map(({ variable }) => variable);
  const named = readFileSync(file, "utf8").match(/\bTACHOGRAPH_[A-Z_]+\b/g) ?? [];
  // What programs that ask the service have.
  const asking = ["TACHOGRAPH_URL", "TACHOGRAPH_KEY"];
  expect(named.filter((name) => ![...known, ...asking].includes(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(0);
});

test("the image is built in stages, runs as nobody in particular, and copies what is there", () => {
  const lines = readFileSync(CONTAINERFILE, "utf8").split("\n");
  expect(lines.filter((line) => line.startsWith("FROM "))).toHaveLength(2);
  expect(lines.find((line) => line.startsWith("USER "))).toMatch(/^USER [1-9]\d+:[1-9]\d+$/);
  expect(lines.filter((line) => line.includes("npm ci --omit=dev"))).toEqual([
    expect.stringContaining("--ignore-scripts"),
  ]);
  const copied = lines.flatMap(
    (line) => /^COPY --from=build \/build\/(\S+) /.exec(line)?.[1] ?? [],
  );
  const { files } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    files: string[];
  };
  expect(new Set(copied)).toEqual(new Set(files));
});

test("the container has no rights and can write nowhere but to its data", () => {
  const { services } = parse(readFileSync(COMPOSE, "utf8")) as Compose;
  expect(services["tachograph"]).toMatchObject({
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: ["tachograph-data:/data"],
  });
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
  const files = mounted.map((volume) => volume.split(":")[0] ?? "");
  const missing = files.filter(
    (file) => file.startsWith(".") && !existsSync(path.join(ROOT, "deploy", file)),
  );
  expect(missing).toEqual([]);
});

interface Compose {
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[] }>>;
}
