import { UserError } from "../model/errors.ts";
import { FollowedSource } from "./followed-source.ts";
import type { GrowingFile, FollowRequest, FollowDependencies } from "./follow-request.ts";

/** How often is looked for new bytes: with the time of a batch, within 2 s from file to answer. */
const LOOK_MS = 200;

/**
 * Reads a file while it grows, until it is still or the process is asked to end; what is there by
 * then is read and stored. Each instant's state survives `kill -9`: the same request again goes on
 * where the store's last batch ends. A file that is replaced is read to its end before the next one;
 * one that is made shorter begins anew. Throws `unreadable-source`, and what the store throws.
 */
export async function followResults(
  request: FollowRequest,
  dependencies: FollowDependencies,
): Promise<void> {
  const still = new Stillness(request.stillMs, dependencies);
  let file = await awaitFile(request, still, dependencies);
  try {
    for (;;) {
      const source = new FollowedSource(file, request, dependencies);
      const ending = await readToEnd(source, file, still, dependencies);
      await dependencies.report(await source.end(noteOf(ending, source.position)));
      if (ending === "over") return;
      if (ending === "shortened") continue;
      await file.close();
      file = await awaitFile(request, still, dependencies);
    }
  } finally {
    await file.close();
  }
}

/** Why a source has ended. */
type Ending = "over" | "replaced" | "shortened";

function noteOf(ending: Ending, position: number): readonly string[] {
  if (ending === "over") return [];
  if (ending === "replaced") return ["another file took its place: that one is read next"];
  return [
    `the file was made shorter after byte ${position} had been read: it is read anew from its begin`,
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
    // Looked at before the last bytes are read, since they may come until the very moment.
    const isOver = still.isOver;
    const isReplaced = await file.isReplaced();
    if (await source.advance()) {
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

/** Whether it is time to stop: nothing has moved for long, or the process is asked to end. */
class Stillness {
  readonly #stillMs: number;
  readonly #dependencies: FollowDependencies;
  #movedAtMs: number;

  constructor(stillMs: number, dependencies: FollowDependencies) {
    this.#stillMs = stillMs;
    this.#dependencies = dependencies;
    this.#movedAtMs = dependencies.clockMs();
  }

  moved(): void {
    this.#movedAtMs = this.#dependencies.clockMs();
  }

  get isOver(): boolean {
    const { interrupted, clockMs } = this.#dependencies;
    return interrupted.aborted || clockMs() - this.#movedAtMs >= this.#stillMs;
  }
}
