import { createHash, randomUUID } from "node:crypto";
import { fileTooLarge, type KeptFile, type NewFile } from "../../../src/model/kept-file.ts";
import { unknownLoadTest } from "../../../src/model/load-test.ts";
import { tooManyFiles, unknownSource } from "../../../src/store/files.ts";
import type { Files, FileWriter } from "../../../src/store/store.ts";
import { isVisible, type StoredLoadTest, type StoredLoadTests } from "./contents.ts";

interface MemoryFile extends KeptFile {
  readonly bytes: Uint8Array;
}

/** By load test, so that they are gone with it. */
const filesOf = new WeakMap<StoredLoadTest, MemoryFile[]>();

export function openMemoryFiles({ byId }: StoredLoadTests, now: () => number): Files {
  const all = (id: string): readonly MemoryFile[] => filesOf.get(byId.get(id) ?? NONE) ?? [];
  const visible = (id: string): readonly MemoryFile[] =>
    all(id).filter(({ sourceId }) => {
      const source = sourceId === undefined ? undefined : byId.get(id)?.sources.get(sourceId);
      return sourceId === undefined || (source !== undefined && isVisible(source));
    });
  return {
    async list(id) {
      return visible(id).map(withoutBytes);
    },
    async find(id, fileId) {
      const found = visible(id).find((file) => file.id === fileId);
      if (found === undefined) return undefined;
      const { bytes, ...file } = found;
      return {
        ...file,
        async *read(from = 0, until = bytes.length) {
          yield bytes.subarray(from, until);
        },
      };
    },
    async remove(id, fileId) {
      const entry = byId.get(id);
      if (entry !== undefined)
        filesOf.set(
          entry,
          all(id).filter((file) => file.id !== fileId),
        );
    },
    begin: (file) => memoryWriter(file, (bytes, place) => show({ ...file, ...place }, bytes)),
  };

  function show(file: NewFile, bytes: Uint8Array): KeptFile {
    const { loadTestId, sourceId, attachmentsMax = Infinity, name, author } = file;
    const entry = byId.get(loadTestId);
    if (entry === undefined) throw unknownLoadTest(loadTestId);
    if (sourceId !== undefined && !entry.sources.has(sourceId)) throw unknownSource(sourceId);
    const there = all(loadTestId).find(
      (each) => each.id === file.id || (sourceId !== undefined && each.sourceId === sourceId),
    );
    if (there !== undefined) return withoutBytes(there);
    const attached = all(loadTestId).filter((each) => each.sourceId === undefined);
    if (sourceId === undefined && attached.length >= attachmentsMax) {
      throw tooManyFiles(loadTestId, attachmentsMax);
    }
    const kept: KeptFile = {
      id: file.id ?? randomUUID(),
      name,
      ...(sourceId === undefined ? {} : { sourceId }),
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      addedAtMs: file.addedAtMs ?? now(),
      ...(author === undefined ? {} : { author }),
    };
    filesOf.set(entry, [...all(loadTestId), { ...kept, bytes }]);
    return kept;
  }
}

export function hasFiles(entry: StoredLoadTest): boolean {
  return (filesOf.get(entry) ?? []).length > 0;
}

/** Of a source that another one replaces. */
export function moveOriginal(entry: StoredLoadTest, from: string, to: string): void {
  const all = filesOf.get(entry) ?? [];
  if (all.some(({ sourceId }) => sourceId === to)) return;
  filesOf.set(
    entry,
    all.map((file) => (file.sourceId === from ? { ...file, sourceId: to } : file)),
  );
}

function withoutBytes(file: MemoryFile): KeptFile {
  const { bytes: _, ...kept } = file;
  return kept;
}

const NONE = {} as StoredLoadTest;

function memoryWriter(
  file: NewFile,
  show: (bytes: Uint8Array, place: Parameters<FileWriter["finish"]>[0]) => KeptFile,
): FileWriter {
  const parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(Uint8Array.from(bytes));
      const sizeBytes = parts.reduce((sum, { length }) => sum + length, 0);
      const { bytesMax = Infinity } = file;
      if (sizeBytes > bytesMax) throw fileTooLarge(file, bytesMax);
    },
    async finish(place) {
      return show(Buffer.concat(parts), place);
    },
    async discard() {},
  };
}
