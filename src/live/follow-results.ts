import { UserError } from "../model/errors.ts";
import {
  type FollowDependencies,
  type FollowRequest,
  type GrowingFile,
  READ_BYTES,
  Reading,
} from "./reading.ts";
import type { Format } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import { checkLabelTemplate } from "../decode/labels/label-template.ts";
import type { ImportReport } from "../model/import-report.ts";
import { CONTAINER_HEAD_BYTES, textStart } from "../source/plain-text.ts";
import { ensureLoadTest } from "../import/ensure-load-test.ts";
import { findStoredState, type StoredState } from "../import/stored-states.ts";

/** Poll interval: with the time of a batch, data shows within 2 s. */
const LOOK_MS = 200;
/** How long a tool that was told to stop may take between two writes. */
const STOPPED_MS = 1000;
const NEWLINE = 0x0a;

const HEAD_BYTES = 64 * 1024;

/** Bytes that are read again to see whether they are still there: some rows. */
const LAST_BYTES = 512;
const NOTHING = Buffer.alloc(0);

/** From this size on, a file without a line end is inspected. */
const BINARY_HEAD_BYTES = 4096;

/**
 * Follows a growing file until it is still or the process shuts down. All read state survives `kill -9`: the
 * same request resumes after the store's last batch. A replaced file is read to its end first; a shortened one
 * restarts. Throws `unreadable-source` and what the store throws.
 */
export async function followResults(
  request: FollowRequest,
  dependencies: FollowDependencies,
): Promise<void> {
  const still = new Stillness(request, dependencies);
  let file = await awaitFile(request, still, dependencies);
  let isShortened = false;
  try {
    for (;;) {
      const source = new FollowedSource(file, request, dependencies, isShortened);
      const ending = await readToEnd(source, file, still, dependencies);
      await dependencies.report(await source.end(noteOf(ending, source.position)));
      if (ending === "over") return;
      isShortened = ending === "shortened";
      if (isShortened) continue;
      await file.close();
      file = await awaitFile(request, still, dependencies);
    }
  } finally {
    await file.close();
  }
}

type Ending = "over" | "replaced" | "shortened";

function noteOf(ending: Ending, position: number): readonly string[] {
  if (ending === "over") return [];
  if (ending === "replaced") return ["another file took its place: that one is read next"];
  return [
    `the file was made shorter after byte ${position} had been read: it is read again from the start`,
  ];
}

async function awaitFile(
  request: FollowRequest,
  still: Stillness,
  { wait, interrupted }: FollowDependencies,
): Promise<GrowingFile> {
  for (;;) {
    const file = await request.open();
    if (file !== undefined) return file;
    if (still.isOver) {
      const { name, stillMs } = request;
      const when = interrupted.aborted ? "until it was interrupted" : `for ${stillMs / 1000} s`;
      const message = `cannot follow "${name}": there was no such file ${when}`;
      throw new UserError("unreadable-source", message);
    }
    await wait(LOOK_MS);
  }
}

async function readToEnd(
  source: FollowedSource,
  file: GrowingFile,
  still: Stillness,
  { wait }: FollowDependencies,
): Promise<Ending> {
  for (;;) {
    // Checked before the last bytes are read, since they may arrive until then.
    const isOver = still.isOver;
    const isReplaced = await file.isReplaced();
    const found = await source.advance();
    if (found === "rewritten") return "shortened";
    if (found === "more") {
      still.moved();
      continue;
    }
    const size = await file.sizeBytes();
    if (size < source.position) return "shortened";
    const isMoreThere = size > source.position && source.position > 0;
    if (isReplaced && !isMoreThere) return "replaced";
    if (isOver && !isMoreThere) return "over";
    await wait(LOOK_MS);
  }
}

/** Whether nothing has moved for `stillMs`, or the process shuts down. */
class Stillness {
  readonly #request: FollowRequest;
  readonly #dependencies: FollowDependencies;
  #movedAtMs: number;

  constructor(request: FollowRequest, dependencies: FollowDependencies) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.#movedAtMs = dependencies.clockMs();
  }

  moved(): void {
    this.#movedAtMs = this.#dependencies.clockMs();
  }

  get isOver(): boolean {
    const { interrupted, clockMs } = this.#dependencies;
    const { stillMs, stopped } = this.#request;
    const most = stopped?.aborted ? Math.min(stillMs, STOPPED_MS) : stillMs;
    return interrupted.aborted || clockMs() - this.#movedAtMs >= most;
  }
}

/**
 * One file from its first byte to its end. Decoding is deterministic: a restarted follower decodes from the
 * first byte and appends only what the store lacks.
 */
export class FollowedSource {
  readonly #file: GrowingFile;
  readonly #request: FollowRequest;
  readonly #dependencies: FollowDependencies;
  readonly #startedAtMs: number;
  readonly #isShortened: boolean;
  #reading: Reading | undefined;
  /** The last bytes read. */
  #last = NOTHING;

  /** `isShortened`: what is stored of a file that begins alike is replaced. */
  constructor(
    file: GrowingFile,
    request: FollowRequest,
    dependencies: FollowDependencies,
    isShortened = false,
  ) {
    this.#isShortened = isShortened;
    this.#file = file;
    this.#request = request;
    this.#dependencies = dependencies;
    this.#startedAtMs = dependencies.clockMs();
  }

  get position(): number {
    return this.#reading?.position ?? 0;
  }

  /**
   * Reads what is there and appends what is due. Returns whether anything was read, or that what was read before has been
   * replaced: the file was made shorter, and has grown again. Throws `unreadable-source` and what the store throws.
   */
  async advance(): Promise<"more" | "nothing" | "rewritten"> {
    this.#reading ??= await this.#begin(false);
    if (this.#reading === undefined) return "nothing";
    const { position, bytesWanted } = this.#reading;
    const before = this.#last.length;
    const read = await this.#file.read(position - before, before + bytesWanted);
    if (read.length <= before) {
      await this.#reading.appendDue();
      return "nothing";
    }
    if (!this.#last.equals(read.subarray(0, before))) return "rewritten";
    if (this.#reading.isPastEnd) {
      await this.#reading.withdraw();
      this.#reading = await this.#open(undefined, this.#reading.format);
      this.#last = NOTHING;
      return "more";
    }
    this.#last = Buffer.from(read.subarray(-LAST_BYTES));
    this.#reading.take(read.subarray(before));
    await this.#reading.appendDue();
    return "more";
  }

  /** Treats the current end as the end of the file and returns the report. */
  async end(notes: readonly string[]): Promise<ImportReport> {
    this.#reading ??= await this.#begin(true);
    if (this.#reading === undefined)
      throw new Error("BUG: a file without a format was not refused");
    const report = await this.#reading.end();
    const { loadTest, name } = this.#request;
    const seconds = (this.#dependencies.clockMs() - this.#startedAtMs) / 1000;
    return {
      ...report,
      loadTestId: loadTest.id,
      source: name,
      notes: [...report.notes, ...notes],
      seconds,
    };
  }

  /** `undefined` while the format is not yet known. */
  async #begin(isLast: boolean): Promise<Reading | undefined> {
    const { target, now } = this.#dependencies;
    const { loadTest } = this.#request;
    const head = new Uint8Array(await this.#file.read(0, HEAD_BYTES));
    const format = this.#formatOf(head, isLast);
    if (format === undefined) return undefined;
    checkLabelTemplate(format, this.#request.decodeOptions);
    await ensureLoadTest(target, loadTest, now());
    const state = await this.#findState();
    const known =
      state === undefined ? format : formatNamed(state.format, this.#dependencies.formats);
    const reading = await this.#open(state, known);
    if (!this.#isShortened || state === undefined) return reading;
    await reading.withdraw();
    return this.#open(undefined, known);
  }

  async #open(state: StoredState | undefined, format: Format): Promise<Reading> {
    const head = await this.#file.read(0, CONTAINER_HEAD_BYTES);
    const textAt = textStart(head);
    const about = {
      request: this.#request,
      dependencies: this.#dependencies,
      format,
      textAt,
      findState: () => this.#findState(),
    };
    return new Reading(about, state);
  }

  #formatOf(head: Uint8Array, isLast: boolean): Format | undefined {
    const text = head.subarray(textStart(head));
    const { formats } = this.#dependencies;
    const isEnough = text.includes(NEWLINE) || text.length >= BINARY_HEAD_BYTES;
    if (!isEnough && !isLast) return undefined;
    if (this.#request.format !== undefined) {
      return followable(formatNamed(this.#request.format, formats));
    }
    try {
      return followable(detectFormat(text, formats));
    } catch (error) {
      const needsMore = !isLast && head.length < HEAD_BYTES && error instanceof UserError;
      if (needsMore) return undefined;
      throw error;
    }
  }

  #findState(): Promise<StoredState | undefined> {
    const { target } = this.#dependencies;
    return findStoredState(target, this.#request.loadTest.id, (until) => this.#chunks(until));
  }

  async *#chunks(until: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < until;) {
      const bytes = await this.#file.read(at, Math.min(READ_BYTES, until - at));
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }
}

/** Throws `bad-parameter` for formats that need the end of the file. */
function followable(format: Format): Format {
  if (format.needsEnd === undefined) return format;
  throw new UserError(
    "bad-parameter",
    `${format.name} cannot be followed: import it when it is complete`,
  );
}
