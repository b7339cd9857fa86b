/**
 * Files that are none, and streams of nothing that makes sense: refused with a sentence, in bounded
 * time and memory. TACHOGRAPH_ODD_BYTES makes them longer: 5 GB for the figures of a release.
 */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { type ProcessOutcome, runTachograph, startTachograph } from "../support/run-tachograph.ts";

const BYTES = Number(process.env["TACHOGRAPH_ODD_BYTES"] ?? 10_000_000);
const RSS_MIB_MAX = 200;
const PIECE_BYTES = 1_000_000;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-odd-files-"));
});

afterAll(() => rm(folder, { recursive: true }));

interface Import extends ProcessOutcome {
  readonly rssMiB: number;
}

/** Imports a file, or a stream, into a store of its own, and watches how much memory it takes. */
async function importOf(source: string, stream?: Readable): Promise<Import> {
  const data = await mkdtemp(path.join(folder, "data-"));
  const words = ["import", source, "--id", "odd", "--data", data];
  const running = startTachograph(words, stream === undefined ? "ended" : "open");
  const { stdin, pid = 0 } = running.process;
  // The program may end before it has read everything.
  stdin?.on("error", () => undefined);
  const sent =
    stream === undefined || stdin === null
      ? undefined
      : pipeline(stream, stdin).catch(() => undefined);
  let rssMiB = 0;
  const watch = setInterval(() => {
    void residentMiB(pid).then((now) => (rssMiB = Math.max(rssMiB, now)));
  }, 50);
  const outcome = await running.outcome;
  clearInterval(watch);
  stream?.destroy();
  await sent;
  return { ...outcome, rssMiB };
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Pieces that are all alike, or made anew, until there are enough. */
function streamOf(begin: string, piece: () => Buffer): Readable {
  return Readable.from(
    (function* () {
      yield Buffer.from(begin);
      for (let bytes = 0; bytes < BYTES; bytes += PIECE_BYTES) yield piece();
    })(),
  );
}

const POINT = `{"type":"Point","metric":"vus","data":{"time":"2026-11-21T03:43:30Z","value":1}}\n`;
const HEADER = "timeStamp,elapsed,label,success\n";

function filled(text: string): () => Buffer {
  const piece = Buffer.alloc(PIECE_BYTES, text);
  return () => piece;
}

function noise(): () => Buffer {
  const random = seededRandom(3);
  const piece = Buffer.alloc(PIECE_BYTES);
  return () => {
    for (let at = 0; at < piece.length; at += 4) piece.writeUInt32LE(random() * 2 ** 32, at);
    return Buffer.from(piece);
  };
}

test.each([
  ["zeros", streamOf("", filled("\0")), 2, "lists the tools that are read"],
  ["line ends", streamOf("", filled("\n")), 2, "lists the tools that are read"],
  ["noise", streamOf("", noise()), 2, "lists the tools that are read"],
  ["one line of a table", streamOf(HEADER, filled("x")), 2, "over 1 MiB"],
  ["one field in quotes", streamOf(`${HEADER}1795232610052,1,"`, filled("x\n")), 2, "over 1 MiB"],
  ["zeros behind a header", streamOf(HEADER, filled("\0")), 2, "over 1 MiB"],
  ["line ends behind a header", streamOf(HEADER, filled("\n")), 2, "the source has no rows"],
  ["rows that are none", streamOf(HEADER, filled("1795232610052,1,a,maybe\n")), 2, "maybe"],
  [
    "one tag",
    streamOf('<?xml version="1.0"?>\n<testResults>\n<sample lb="', filled("x")),
    2,
    "inside a tag",
  ],
  ["one line of JSON", streamOf(`${POINT}{"type":"Point","metric":"`, filled("x")), 3, "1 MiB"],
])(
  "a stream of %s is read in bounded memory, and told",
  async (_what, stream, code, description) => {
    const { exitCode, out, error, rssMiB } = await importOf("-", stream);
    expect({ exitCode, says: `${out}${error}` }).toEqual({
      exitCode: code,
      says: expect.stringContaining(description) as string,
    });
    expect(rssMiB).toBeLessThan(RSS_MIB_MAX);
  },
  60_000 + BYTES / 10_000,
);

test("a file with a hole of any size is refused", async () => {
  const file = path.join(folder, "hole.jtl");
  await writeFile(file, "");
  await truncate(file, BYTES * 10);
  const { exitCode, error, rssMiB } = await importOf(file);
  expect(exitCode).toBe(2);
  expect(error).toContain("lists the tools that are read");
  expect(rssMiB).toBeLessThan(RSS_MIB_MAX);
}, 60_000);

test("of a large compressed file with one wrong bit nothing is stored", async () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => `1795232610052,${row % 700},a,true\n`);
  const bytes = gzipSync(HEADER + rows.join(""));
  const at = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
  const file = path.join(folder, "flipped.jtl.gz");
  await writeFile(file, bytes);
  const data = path.join(folder, "flipped");
  const imported = await runTachograph(["import", file, "--id", "odd", "--data", data]);
  expect(imported.exitCode).toBe(2);
  expect(imported.error).toContain("gzip stream cannot be decompressed");
  const listed = await runTachograph(["tests", "list", "--json", "--data", data]);
  expect(listed.out.trim()).toBe("[]");
});

test("a folder, a socket, a device and what is not there are refused by name", async () => {
  const socket = path.join(folder, "socket");
  const server = createServer().listen(socket);
  await once(server, "listening");
  const names = [folder, socket, "/dev/null", path.join(folder, "nothing.jtl")];
  const outcomes = await Promise.all(names.map((name) => importOf(name)));
  server.close();
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
  const [ofFolder, ofSocket, ofDevice, ofNothing] = outcomes.map(({ error }) => error);
  expect(ofFolder).toContain(`cannot read "${folder}": it is a directory`);
  expect(ofSocket).toContain(`cannot read "${socket}": it is a socket`);
  expect(ofDevice).toContain("cannot read the source: it is empty");
  expect(ofNothing).toContain("there is no such file");
}, 30_000);

test("a named pipe is read to its end", async () => {
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const imported = importOf(pipe);
  await writeFile(pipe, `${HEADER}1795232610052,163,home,true\n1795232611000,1,home,false\n`);
  expect(await imported).toMatchObject({ exitCode: 0 });
}, 30_000);
