import type { KeptFile } from "../../model/kept-file.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import {
  contentDeleted,
  openFiles,
  type ShownFile,
  shownFile,
  tooManyFiles,
  unknownSource,
  withoutContent,
} from "../files.ts";
import type { Files, StoreScope } from "../store.ts";
import type { SqliteFile } from "./file.ts";

/** Of a content that no file has. */
const DEAD = 0;

export function openSqliteFiles(file: SqliteFile, scope: StoreScope): Files {
  const { reading, writing, queue, room, now } = file;
  const numberOf = (id: string): number | undefined => reading.loadTests.find(scope, id)?.number;
  /** Returns the number of its load test. Throws `unknown-load-test`, `bad-parameter`. */
  function placeOf({ loadTestId, sourceId }: ShownFile): number {
    const loadTest = writing.loadTests.find(scope, loadTestId)?.number;
    if (loadTest === undefined) throw unknownLoadTest(loadTestId);
    if (sourceId !== undefined && writing.sources.find(loadTest, sourceId) === undefined) {
      throw unknownSource(sourceId);
    }
    return loadTest;
  }
  function show(content: number, shown: ShownFile): KeptFile {
    const loadTest = placeOf(shown);
    const { sourceId, attachmentsMax = Infinity } = shown;
    const there = writing.files.taken(loadTest, shown);
    const same = writing.files.withDigest(shown.sha256);
    if (there !== undefined || same !== undefined) writing.files.touch(content, DEAD);
    if (there !== undefined) return there;
    if (sourceId === undefined && writing.files.attachments(loadTest) >= attachmentsMax) {
      throw tooManyFiles(shown.loadTestId, attachmentsMax);
    }
    if (same === undefined && !writing.files.complete(content, shown)) throw contentDeleted();
    const kept = shownFile(shown, now());
    writing.files.add(loadTest, same ?? content, kept);
    return kept;
  }
  return openFiles({
    async list(loadTestId) {
      const loadTest = numberOf(loadTestId);
      return (loadTest === undefined ? [] : reading.files.list(loadTest)).map(withoutContent);
    },
    async find(loadTestId, id) {
      const loadTest = numberOf(loadTestId);
      return loadTest === undefined ? undefined : reading.files.find(loadTest, id);
    },
    begin: () => queue.write(() => writing.files.begin(now()), 0, false),
    async put(content, first, chunks) {
      room.require();
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      const store = (): void => {
        if (!writing.files.touch(content, now())) throw contentDeleted();
        for (const [at, chunk] of chunks.entries())
          writing.files.addChunk(content, first + at, chunk);
      };
      await queue.write(store, bytes, false);
    },
    show: (content, shown) => queue.write(() => withoutContent(show(content, shown))),
    async drop(content) {
      room.makeRoom();
      await queue.write(() => writing.files.touch(content, DEAD), 0, false);
    },
    async chunk(content, sequence) {
      return reading.files.chunk(content, sequence);
    },
    async remove(loadTestId, id) {
      room.makeRoom();
      await queue.write(() => {
        const loadTest = writing.loadTests.find(scope, loadTestId)?.number;
        if (loadTest !== undefined) writing.files.remove(loadTest, id);
      });
    },
  });
}
