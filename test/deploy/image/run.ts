/**
 * Builds the image and uses it with the commands of docs/deployment.md and docs/backup.md:
 *
 *     npm run task test:image [-- --allow-missing]
 *
 * Takes minutes. Exit code 1: something is wrong, or there is no engine. With --allow-missing, a missing engine is
 * reported, and the exit code is 3. test/deploy/image/install-programs.sh installs Podman.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { codeBlocks } from "../../examples/blocks.ts";
import { type Engine, openEngine } from "./engine.ts";

const NAME = `tachograph-test-${process.pid}`;
const VOLUME = `${NAME}-data`;
/** Of the image. */
const USER = 10001;
const READY_MS = 60_000;
const ROWS = 200_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const engine = await openEngine();
  if (typeof engine === "string") {
    console.error(`not here: ${engine}; test/deploy/image/install-programs.sh installs Podman`);
    return process.argv.includes("--allow-missing") ? 3 : 1;
  }
  console.log(engine.title);
  const backups = mkdtempSync(path.join(tmpdir(), "tachograph-backups-"));
  try {
    chownSync(backups, USER, USER);
    await useImage(engine, backups);
    return 0;
  } catch (error) {
    console.error(error, engine.sh(`docker logs --tail 5 ${NAME} 2>&1 || true`));
    return 1;
  } finally {
    const volumes = ["data", "open", "restored"].map((each) => `${NAME}-${each}`).join(" ");
    engine.sh(`set +e; docker rm --force ${NAME}; docker volume rm --force ${volumes}
docker rmi --force ${NAME}; true`);
    engine.close();
    rmSync(backups, { recursive: true });
  }
}

async function useImage(engine: Engine, backups: string): Promise<void> {
  const port = await freePort();
  const steps = commandsOf("docs/deployment.md: docker build", port);
  const key = keyIn(engine.sh(steps));
  const created = engine.sh(
    `docker exec ${NAME} node bin/tachograph.js keys create --name reader --scope read`,
  );
  const reading = { headers: { "X-Service-Auth": keyIn(created), Connection: "close" } };
  await untilHealthy(engine);
  report("the commands of docs/deployment.md build it, start it and make a key");

  checkRights(engine);
  report("user 10001 without rights, 512 MB, 64 processes, writes only to /data and /tmp");

  const url = `http://127.0.0.1:${port}/Api/LoadTests/release-42`;
  const summary = async () => (await fetch(`${url}/Summary`, reading)).text();
  const sending = {
    method: "POST",
    headers: { "X-Service-Auth": key, Connection: "close" },
    body: jtl(),
  };
  const sent = await fetch(`${url}/Results`, sending);
  assert.equal(sent.status, 201, await sent.text());
  const before = await summary();
  const { overall } = JSON.parse(before) as { overall: Record<string, unknown> };
  // Of the times 1 to 100 ms, each as often, the average is 50.5 ms.
  const { count, errCount, avgLoadTime } = overall;
  assert.deepEqual([count, errCount, avgLoadTime], [ROWS, ROWS / 10, 0.0505]);
  report(`stores an upload of ${ROWS} requests, and answers with their summary`);

  engine.sh(`docker stop ${NAME}`);
  assert.equal(engine.sh(`docker inspect --format '{{.State.ExitCode}}' ${NAME}`), "0\n");
  const starts = [
    ["after SIGTERM, which ends it with 0", `docker start ${NAME}`],
    ["after SIGKILL", `docker kill --signal KILL ${NAME}; docker start ${NAME}`],
    ["in a new container", `docker rm --force ${NAME}; ${startIn(steps, VOLUME)}`],
    [
      "from a backup and restore by the commands of docs/backup.md",
      `${commandsOf("docs/backup.md: docker run", port)
        .replaceAll("/backups:/", `${backups}:/`)
        .replaceAll("restored-data", `${NAME}-restored`)}
       docker rm --force ${NAME}; ${startIn(steps, `${NAME}-restored`)}`,
    ],
  ] as const;
  for (const [how, lines] of starts) {
    engine.sh(lines);
    await untilHealthy(engine);
    assert.equal(await summary(), before);
    report(`has the same data ${how}`);
  }

  // As kind and k3s make volumes: of root, and open to every user. The chart names a directory within.
  const volume = `${NAME}-open`;
  engine.sh(`docker run --rm --user 0 --entrypoint chmod -v ${volume}:/data ${NAME} 777 /data
docker run --rm --user 0 --entrypoint chown -v ${volume}:/data ${NAME} 0:0 /data
docker rm --force ${NAME}; ${startIn(steps, `${volume}:/data -e TACHOGRAPH_DATA=/data/tachograph`)}`);
  await untilHealthy(engine);
  report("starts in a directory of a volume that is open to every user");
}

function checkRights(engine: Engine): void {
  const status = engine.sh(`docker exec ${NAME} cat /proc/1/status`);
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, "m").exec(status)?.[1];
  assert.deepEqual(["Uid", "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp"].map(field), [
    "10001\t10001\t10001\t10001",
    ...Array<string>(3).fill("0".repeat(16)),
    "1",
    "2",
  ]);
  const groups =
    "cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes memory.max; cat pids/pids.max pids.max";
  const limits = engine.sh(`docker exec ${NAME} sh -c '${groups}; true' 2>/dev/null`);
  assert.equal(limits, `${512 * 2 ** 20}\n64\n`);
  const find =
    'find / -path /proc -prune -o -path /dev -prune -o -path "/data/*" -prune -o -type d -writable -print';
  const writable = engine.sh(`docker exec ${NAME} sh -c '${find} 2>/dev/null' || true`);
  assert.deepEqual(writable.trim().split("\n").toSorted(), ["/data", "/tmp"]);
}

/** The commands of a document, for the container, image and volume of this test. */
function commandsOf(begin: string, port: number): string {
  const block = codeBlocks().find(({ name }) => name.startsWith(begin));
  assert.ok(block, `no block "${begin}…"`);
  return block.text
    .replaceAll(/(?<![/\w])tachograph\b(?![./]|-2)/g, NAME)
    .replaceAll("127.0.0.1:8013", `127.0.0.1:${port}`);
}

/** The command of `steps` that starts the container, with another volume. */
function startIn(steps: string, volume: string): string {
  const [command = ""] = /^docker run (?:.*\\\n)*.*\n/m.exec(steps) ?? [];
  return command.replace(`${VOLUME}:/data`, volume.includes(":") ? volume : `${volume}:/data`);
}

function keyIn(text: string): string {
  const [key] = /\btgk_\w+/.exec(text) ?? [];
  assert.ok(key, `no key in ${text}`);
  return key;
}

/** Waits until the health check of the image succeeds in the container. */
async function untilHealthy(engine: Engine): Promise<void> {
  const format = "{{json .Config.Healthcheck.Test}}";
  const [, ...words] = JSON.parse(
    engine.sh(`docker inspect --format '${format}' ${NAME}`),
  ) as string[];
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const until = Date.now() + READY_MS;
  for (;;) {
    try {
      engine.sh(`docker exec ${NAME} ${quoted}`);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await wait(200);
    }
  }
}

function jtl(): string {
  const rows = Array.from(
    { length: ROWS },
    (_, n) => `${1_700_000_000_000 + n},${1 + (n % 100)},GET /cart,${n % 10 !== 0}\n`,
  );
  return `timeStamp,elapsed,label,success\n${rows.join("")}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function report(line: string): void {
  console.log(`ok       ${line}`);
}
