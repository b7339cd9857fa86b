/** Lanes that write over the doors of a server: protocols, live batches, uploads with files. */

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { PROTOCOLS } from "../around/numbered-writes.ts";
import { randomFrom } from "../../support/dense-points.ts";
import type { PointBatch } from "../../../src/store/store.ts";
import { batchOf, collect, sample, stored } from "../../support/batches.ts";
import { ask, type Lane, type OpenedImage, type Step } from "./lane.ts";

const BODIES = 16;
const BATCHES = 40;
const UPLOADS = 4;
const ROWS = 60;

/** OTLP, remote write and line protocol: bodies without numbers. */
export function protocolLanes(): readonly Lane[] {
  return PROTOCOLS.map(({ name, path, headers, body, stored: read }) => {
    const send = async (asked: Parameters<typeof read>[0], number: number): Promise<void> => {
      const answer = await asked.fetch(path, { method: "POST", headers, body: body(number) });
      assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
    };
    const steps = Array.from({ length: BODIES }, (_, number) => ({
      act: (life) => send(life, number),
      after: number + 1,
      again: (image) => send(image, number),
    })) satisfies Step[];
    return { name, before: 0, steps, read };
  });
}

/** Numbered batches of one sender, a request in each, which the store merges. */
export function batchLane(): Lane {
  const steps = Array.from({ length: BATCHES }, (_, sequence) => ({
    act: ({ store }) => store.points.append(batchWith(sequence)),
    after: sequence + 1,
    again: ({ store }) => store.points.append(batchWith(sequence)),
  })) satisfies Step[];
  return {
    name: "live batches",
    before: 0,
    steps,
    async read({ store }) {
      const seconds = (await stored(store)).flatMap(([, { second }]) => [...second]);
      assert.deepEqual(seconds, [...seconds.keys()].map(secondOf), "seconds of batches");
      return seconds.length;
    },
  };
}

function batchWith(sequence: number): PointBatch {
  return batchOf([sample("/", secondOf(sequence))], { sequence });
}

function secondOf(sequence: number): number {
  return 1_700_000_000 + sequence;
}

interface Uploaded {
  readonly name: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly description: string | undefined;
  readonly requests: number;
  /** Kind, name and SHA-256 of the bytes. */
  readonly files: readonly string[];
}

type Uploads = readonly (Uploaded | "none")[];

/** Load tests that are uploaded, changed, get attachments and lose them, and are deleted; the last one stays. */
export function uploadLane(): Lane {
  const steps: Step[] = [];
  const none: Uploads = Array.from({ length: UPLOADS }, () => "none");
  let state = none;
  const add = (
    number: number,
    next: Uploaded | "none",
    step: Pick<Step, "act" | "isBetween">,
  ): void => {
    state = state.with(number, next);
    steps.push({ ...step, after: state });
  };
  for (let number = 0; number < UPLOADS; number++) {
    const [path, original] = [`/Api/LoadTests/upload-${number}`, jtlOf(number)];
    const created: Uploaded = {
      name: "a.jtl",
      tags: [],
      pinned: false,
      description: undefined,
      requests: 0,
      files: [],
    };
    const files = [`original a.jtl ${hash("sha256", original)}`];
    const uploaded = { ...created, requests: ROWS, files };
    const before = state;
    add(number, uploaded, {
      act: (life) => ask(life, "POST", `${path}/Results?file=a.jtl&keepFile=true`, original),
      // Rows become visible together, and the original with them or after.
      isBetween: (seen) =>
        [created, { ...uploaded, files: [] }].some((each) =>
          isSame(seen, before.with(number, each)),
        ),
    });
    const change = (
      changed: Partial<Uploaded>,
      members: Readonly<Record<string, unknown>>,
    ): void => {
      const next = { ...(state[number] as Uploaded), ...changed };
      add(number, next, { act: (life) => ask(life, "PATCH", path, members) });
    };
    change({ name: `renamed ${number}` }, { name: `renamed ${number}` });
    change(
      { tags: ["é", "nightly"].toSorted(), pinned: true },
      { tags: ["nightly", "é"], pinned: true },
    );
    change({ description: "*why*" }, { description: "*why*" });
    const bytes = attachmentOf(number);
    const attached = [...files, `attachment a.png ${hash("sha256", bytes)}`];
    let id = "";
    add(
      number,
      { ...(state[number] as Uploaded), files: attached },
      {
        act: async (life) => {
          ({ id } = (await ask(life, "POST", `${path}/Files?name=a.png`, bytes)) as { id: string });
        },
      },
    );
    add(
      number,
      { ...(state[number] as Uploaded), files },
      {
        act: (life) => ask(life, "DELETE", `${path}/Files/${id}`),
      },
    );
    if (number === UPLOADS - 1) continue;
    change({ pinned: false }, { pinned: false });
    add(number, "none", { act: (life) => ask(life, "DELETE", path) });
  }
  return {
    name: "uploads",
    before: none,
    steps,
    read: async (image) => {
      const found: (Uploaded | "none")[] = [];
      for (let number = 0; number < UPLOADS; number++) {
        found.push(await uploadedIn(image, `upload-${number}`));
      }
      return found;
    },
  };
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function uploadedIn({ store }: OpenedImage, id: string): Promise<Uploaded | "none"> {
  const found = await store.loadTests.find(id);
  if (found === undefined) return "none";
  const files: string[] = [];
  for (const { id: file, sourceId, name } of await store.files.list(id)) {
    const read = (await store.files.find(id, file))?.read();
    assert.ok(read !== undefined, `${id}: the listed file ${name} is gone`);
    const kind = sourceId === undefined ? "attachment" : "original";
    files.push(`${kind} ${name} ${hash("sha256", Buffer.concat(await collect(read)))}`);
  }
  const { name, tags, pinned, description, requests } = found;
  return { name, tags: tags.toSorted(), pinned, description, requests, files };
}

/** The number is in the bytes: equal originals would be stored once. */
function jtlOf(number: number): string {
  const rows = Array.from(
    { length: ROWS },
    (_, row) => `${1_700_000_000_000 + 700 * row},5,/file/${number}/${row % 7},true`,
  );
  return ["timeStamp,elapsed,label,success", ...rows, ""].join("\n");
}

/** Bytes that cannot be compressed; of one, more than a chunk of the store. */
function attachmentOf(number: number): Buffer<ArrayBuffer> {
  const random = randomFrom(number);
  const size = number === 1 ? 1_200_000 : 20_000;
  return Buffer.from(Array.from({ length: size }, () => Math.floor(256 * random())));
}
