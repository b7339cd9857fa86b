import { openThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import type { MeasurePullJson } from "../api/thresholds.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import { addEvents } from "../import/ensure-load-test.ts";
import { parseMeasureQuery, pullMeasure } from "../import/pull-measures.ts";
import { errorMessage } from "../model/errors.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { EVENT_CHARACTERS_MAX } from "../model/measures/load-test-events.ts";
import { unstoredText } from "../model/measures/series-limits.ts";

import {
  openPrometheus,
  prometheusBase,
  type QueriedRange,
} from "../source/download/prometheus.ts";
import type { Store } from "../store/store.ts";

/** The Prometheus servers that load tests may be given measures of. */
export interface PrometheusSettings {
  readonly addresses: readonly string[];
  /** What the header `Authorization` has. */
  readonly authorization: string | undefined;
}

interface PullerDependencies extends PrometheusSettings {
  readonly store: Pick<Store, "loadTests" | "points" | "thresholds">;
  /** Shared by all projects. */
  readonly pulls: Semaphore;
  /** Who waits for a turn, so that one project with a slow Prometheus does not hold up the others. */
  readonly project?: string | undefined;
  readonly fetch: typeof fetch;
  readonly interrupted: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For all queries of a load test. @default one minute */
  readonly timeoutMs?: number;
  /** Called for each query that failed, with the reason. */
  readonly failed: (loadTestId: string, reason: string) => void;
}

const TIMEOUT_MS = 60_000;
/** Of a response: parsing it stops the event loop. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const REMEMBERED_MAX = 1000;
/** As `prometheusBase` writes it, without the colon behind it. */
const ADDRESS = /https?:\/\/\S*[^\s:]/g;

/** Runs the Prometheus queries of a test's name for each of its load tests that has ended, and stores the values with it. */
export class FinishedPuller {
  readonly #dependencies: PullerDependencies;
  /** What was pulled, by id. */
  readonly #pulled = new LruCache<string, string>(REMEMBERED_MAX);
  readonly #pulling = new Map<string, Promise<void>>();

  constructor(dependencies: PullerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether everything is pulled or given up; begins with it if not. Pulled again, nothing changes unless its requests or the queries have. */
  async isReady(loadTest: LoadTestSummary): Promise<boolean> {
    const { id, createdAtMs, name, from, until } = loadTest;
    if (this.#pulling.has(id)) return false;
    const { store, pulls, project, now } = this.#dependencies;
    const { pull = [] } = await openThresholdsByName(store.thresholds, now).find(name);
    if (pull.length === 0 || from === undefined || until === undefined) return true;
    const wanted = JSON.stringify([createdAtMs, from, until, pull]);
    if (this.#pulled.get(id) === wanted) return true;
    this.#pulled.set(id, wanted);
    const done = pulls
      .run(project ?? "", () => this.#pull(loadTest, { from, until }, pull))
      .finally(() => this.#pulling.delete(id));
    this.#pulling.set(id, done);
    return false;
  }

  /** Waits until nothing is pulled any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#pulling.values());
  }

  /** Never rejects. */
  async #pull(
    loadTest: LoadTestSummary,
    range: Omit<QueriedRange, "stepSeconds">,
    pulls: readonly MeasurePullJson[],
  ): Promise<void> {
    const { interrupted, timeoutMs = TIMEOUT_MS } = this.#dependencies;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([interrupted, late]);
    for (const pull of pulls) {
      for (const text of pull.queries) {
        if (interrupted.aborted) return;
        const lost = await this.#pullOne(loadTest, { ...pull, text, range, signal }).then(
          (reason) => reason && { reason, shown: withoutAddress(reason) },
          (error: unknown) =>
            late.aborted
              ? lateReason(timeoutMs)
              : { reason: errorMessage(error), shown: shownOf(error) },
        );
        if (lost) await this.#reportFailure(loadTest, text, lost);
      }
    }
  }

  /** Returns what is missing. */
  async #pullOne(
    { id, name, createdAtMs }: LoadTestSummary,
    query: Omit<MeasurePullJson, "queries"> & {
      readonly text: string;
      readonly range: Omit<QueriedRange, "stepSeconds">;
      readonly signal: AbortSignal;
    },
  ): Promise<string | undefined> {
    const { store, addresses, authorization, fetch: send } = this.#dependencies;
    const { prometheus: url, stepSeconds = 1, text, range, signal } = query;
    const base = prometheusBase(url);
    if (!addresses.includes(base)) return `the server does not list ${base} (serve --prometheus)`;
    // It would be made again.
    if ((await store.loadTests.find(id)) === undefined) return undefined;
    signal.throwIfAborted();
    const address = { url, authorization, bodyBytesMax: BODY_BYTES_MAX };
    const { series, unstored } = await pullMeasure({
      target: store,
      prometheus: openPrometheus(address, { fetch: send, interrupted: signal }),
      loadTest: { id, name, createdAtMs },
      query: parseMeasureQuery(text),
      range: { ...range, stepSeconds },
    });
    return series === 0 ? "no series" : unstoredText(unstored);
  }

  /** The log has the reason, the event what is shown of it: links show events. */
  async #reportFailure(
    { id, until = 0 }: LoadTestSummary,
    query: string,
    { reason, shown }: Lost,
  ): Promise<void> {
    const { store, failed } = this.#dependencies;
    failed(id, `${query} was not pulled: ${reason}`);
    const text = `${query} was not pulled: ${shown}`.slice(0, EVENT_CHARACTERS_MAX);
    await addEvents(store, id, [{ atMs: (until + 1) * 1000, text }]).catch(() => []);
  }
}

interface Lost {
  readonly reason: string;
  /** Without addresses. */
  readonly shown: string;
}

function lateReason(timeoutMs: number): Lost {
  const reason = `no answer within ${timeoutMs / 1000} s`;
  return { reason, shown: reason };
}

/** Of a failed connection the code: its message repeats the address, also one that a name stands for. */
function shownOf(error: unknown): string {
  const { cause } = error as Error;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (typeof code === "string") return `cannot query the Prometheus: ${code}`;
  return withoutAddress(errorMessage(error));
}

function withoutAddress(reason: string): string {
  return reason.replaceAll(ADDRESS, "the Prometheus");
}
