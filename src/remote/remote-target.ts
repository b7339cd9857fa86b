import { zstdCompressSync } from "node:zlib";
import { attributesJson } from "../model/load-test/attributes.ts";
import { unless } from "../model/errors.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../wire/batch.ts";
import {
  APPENDED_SCHEMA,
  DUPLICATE_SCHEMA,
  FOUND_SCHEMA,
  type Publication,
  SOURCES_SCHEMA,
} from "../api/sources.ts";
import { RemoteFile } from "./remote-file.ts";
import type { ServerCalls } from "./server-calls.ts";
import type { WireBatch } from "../wire/batch-head.ts";
import type { Appended } from "../store/store.ts";
import type { LiveSource, PublishedSource } from "../store/snapshot.ts";

/** Import target on a server: every operation is a request. */
export interface RemoteTarget extends ImportTarget {
  /** Sends a batch created by `packBatch`. */
  sendPacked(loadTestId: string, packed: Uint8Array<ArrayBuffer>): Promise<Appended>;
}

/** A batch as sent and spooled. */
export function packBatch(batch: WireBatch): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(zstdCompressSync(encodeBatch(batch)));
}

/** Every operation throws the refusals of the server, and `server-unreachable`. */
export function openRemoteTarget(calls: ServerCalls): RemoteTarget {
  const sourcesOf = async (loadTestId: string): Promise<Sources | undefined> => {
    const call = { method: "GET", path: `${pathOf(loadTestId)}/Sources` } as const;
    const found = await unless("unknown-load-test", () => calls.request(call, SOURCES_SCHEMA));
    return found as Sources | undefined;
  };
  const post = (path: string, members: object): Promise<unknown> =>
    calls.call({ method: "POST", path, members });
  const remove = async (path: string): Promise<void> => {
    await calls.call({ method: "DELETE", path });
  };
  const target: RemoteTarget = {
    isRemote: true,
    async sendPacked(loadTestId, packed) {
      const path = `${pathOf(loadTestId)}/Batches`;
      const call = { method: "POST", path, headers: PACKED_HEADERS, body: packed } as const;
      return await calls.request(call, APPENDED_SCHEMA);
    },
    loadTests: {
      async find(id) {
        return (await sourcesOf(id)) && { id };
      },
      async create(loadTest) {
        await post("/Api/LoadTests", { id: loadTest.id, ...attributesJson(loadTest) });
      },
      async deleteUnused(id) {
        await calls.call({ method: "DELETE", path: `${pathOf(id)}?unused=true` });
      },
      async update(id, { addedEvents = [] }) {
        for (const { atMs, text } of addedEvents) {
          await post(`${pathOf(id)}/Events`, { text, at: new Date(atMs).toISOString() });
        }
      },
    },
    files: { begin: (file) => new RemoteFile(calls, `${pathOf(file.loadTestId)}/Files`, file) },
    points: {
      append: ({ loadTestId, ...batch }) => target.sendPacked(loadTestId, packBatch(batch)),
      async sources(loadTestId) {
        const sources = (await sourcesOf(loadTestId))?.published ?? [];
        return sources.map((source) => ({ loadTestId, ...source }));
      },
      async findContent({ sizeBytes, digest }) {
        const path = `/Api/Sources?sizeBytes=${sizeBytes}&digest=${encodeURIComponent(digest)}`;
        const { sources } = await calls.request({ method: "GET", path }, FOUND_SCHEMA);
        return sources as readonly PublishedSource[];
      },
      async liveSources(loadTestId) {
        return (await sourcesOf(loadTestId))?.live ?? [];
      },
      async publish({ loadTestId, sourceId, quality, ...file }, replaces = [], batches) {
        const path = `${sourcePath(loadTestId, sourceId)}/Publish`;
        const publication: Publication = { ...file, ...quality, replaces, batches };
        const call = { method: "POST", path, members: publication } as const;
        const { duplicate } = await calls.request(call, DUPLICATE_SCHEMA);
        if (!duplicate) return { duplicate };
        // It may be our own batch whose acknowledgement was lost.
        const shown = (await sourcesOf(loadTestId))?.published ?? [];
        return { duplicate: !shown.some((source) => source.sourceId === sourceId) };
      },
      // What was published without an answer stays: it may have taken the place of an earlier state.
      discard: (...source) => remove(`${sourcePath(...source)}?staged=true`),
      withdraw: (...source) => remove(sourcePath(...source)),
    },
  };
  return target;
}

interface Sources {
  readonly live: readonly LiveSource[];
  readonly published: readonly Omit<PublishedSource, "loadTestId">[];
}

const PACKED_HEADERS = { "Content-Type": BATCH_MEDIA_TYPE, "Content-Encoding": "zstd" };

function pathOf(loadTestId: string): string {
  return `/Api/LoadTests/${encodeURIComponent(loadTestId)}`;
}

function sourcePath(loadTestId: string, sourceId: string): string {
  return `${pathOf(loadTestId)}/Sources/${encodeURIComponent(sourceId)}`;
}
