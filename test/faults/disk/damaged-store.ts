import { UserError } from "../../../src/model/errors.ts";
import { ALL_ENDPOINTS } from "../../../src/series/endpoint-selection.ts";
import { summarise } from "../../../src/query/open-summary.ts";
import { readFailures } from "../../../src/query/read-failures.ts";
import { openMetrics } from "../../../src/query/read-metrics.ts";
import { openPercentiles } from "../../../src/query/read-percentiles.ts";
import type { Store } from "../../../src/store/store.ts";
import { collect, published } from "../../support/batches.ts";
import { densePoints } from "../../support/dense-points.ts";
import { active, failure } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { failureTable, userTable } from "../../support/plain-details.ts";
import { openFolder } from "./data-folder.ts";

const ENDPOINTS = 12;
const SECONDS = 200;
const FIRST_SECOND = 1_790_000_000;
const LABELS = Array.from({ length: ENDPOINTS }, (_, number) => `GET /pages/${number}`);

const WHOLE = {
  loadTestId: "run",
  selection: ALL_ENDPOINTS,
  range: undefined,
  resolutionSeconds: 1,
};

/** A query of the whole takes less than a second. */
const ANSWER_MS_MAX = 120_000;

/** Errors that a store may return instead of data; see docs/errors.md. */
const REFUSALS: readonly string[] = ["damaged-store", "store-unusable", "store-too-new"];

/**
 * The result of each query by its name: the data or "refused" for an error about damage. "verify" is "damage"
 * or "nothing". A store that cannot be opened has only "open".
 */
export type Answers = Readonly<Record<string, string>>;

/** The queries with a wrong result and no error. */
export function wrongIn(answers: Answers, right: Answers): string[] {
  return Object.keys(answers).filter(
    (name) => name !== "verify" && answers[name] !== "refused" && answers[name] !== right[name],
  );
}

/** Whether opening or `verify` reported the damage. */
export function isFound(answers: Answers): boolean {
  return answers["open"] === "refused" || answers["verify"] === "damage";
}

/** Fills the load test `run`: half imported, half live, with failures and users. Two others are empty. */
export async function fillForDamage({ points, loadTests }: Store): Promise<void> {
  for (const id of ["earlier", "later"]) await loadTests.create(loadTest(id));
  const shape = { endpoints: ENDPOINTS, seconds: SECONDS, requestsPerPoint: 3 };
  const staged = {
    loadTestId: "run",
    sourceId: "file",
    visibility: "staged",
    sequence: 0,
  } as const;
  const imported = densePoints({ ...shape, firstSecond: FIRST_SECOND });
  await points.append({ ...staged, labels: LABELS, points: imported });
  await points.publish(published("file"));
  await appendLive(points, 0, 25);
}

/** Appends more live batches to the same load test. */
export async function fillFurther({ points }: Store): Promise<void> {
  await appendLive(points, 25, 50);
}

async function appendLive(points: Store["points"], from: number, until: number): Promise<void> {
  const shape = { endpoints: ENDPOINTS, seconds: SECONDS, requestsPerPoint: 3 };
  const live = { loadTestId: "run", sourceId: "sender", visibility: "live" } as const;
  for (let sequence = from; sequence < until; sequence++) {
    const firstSecond = FIRST_SECOND + SECONDS + 10 * sequence;
    const dense = densePoints({ ...shape, seconds: 10, firstSecond }, sequence);
    const failures = failureTable([failure(sequence % ENDPOINTS, "503", firstSecond, 2)]);
    const users = userTable([active("host", firstSecond, sequence)]);
    await points.append({ ...live, sequence, labels: LABELS, points: dense, failures, users });
  }
}

/**
 * Runs all queries on a store that is opened like a server (`isChecked`) or like a command. Throws for any
 * error that is not about damage.
 */
export async function answersOf(folder: string, isChecked: boolean): Promise<Answers> {
  const answers: Record<string, string> = {};
  const options = isChecked ? {} : { quickCheckBytesMax: 0 };
  const store = await refusable(() => openFolder(folder, options));
  if (store === undefined) return { open: "refused" };
  for (const [name, ask] of Object.entries(questions(store))) {
    answers[name] = (await refusable(ask)) ?? "refused";
  }
  const damages = await refusable(() => collect(store.verify()));
  answers["verify"] = damages?.length === 0 ? "nothing" : "damage";
  await refusable(() => store.close());
  return answers;
}

function questions(store: Store): Record<string, () => Promise<string>> {
  const metrics = (format: "csv" | "xy" | "default") => async (): Promise<string> => {
    const answer = await openMetrics(store.points, { ...WHOLE, format });
    const pieces: Buffer[] = [];
    try {
      for await (const piece of answer.chunks()) pieces.push(Buffer.from(piece));
    } finally {
      answer.release();
    }
    return Buffer.concat(pieces).toString();
  };
  return {
    csv: metrics("csv"),
    xy: metrics("xy"),
    default: metrics("default"),
    summary: async () =>
      JSON.stringify(await summarise(store.points, { ...WHOLE, apdexMicros: 50_000 })),
    failures: async () => JSON.stringify(await readFailures(store.points, WHOLE)),
    percentiles: async () => {
      const quantiles = [0.5, 0.95, 0.999];
      const answer = await openPercentiles(store.points, { ...WHOLE, quantiles, isMerged: false });
      return JSON.stringify(await collect(answer.series()).finally(() => answer.release()));
    },
    list: async () => JSON.stringify(await store.loadTests.list()),
  };
}

/** Throws if it does not end, as when damage makes it read the same rows again and again. */
async function refusable<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("a query of a damaged store hangs")));
    });
    return await Promise.race([ask(), late]);
  } catch (error) {
    if (error instanceof UserError && REFUSALS.includes(error.code)) return undefined;
    throw error;
  }
}
