import type { AnsweredRequest, HttpLog } from "../http/access-log.ts";
import type { MetricFamily, Monitoring } from "../http/monitoring.ts";
import { metricsBody, spanOf, tracesBody, sampledIds } from "./otlp-bodies.ts";
import {
  type OtlpTarget,
  type TelemetrySettings,
  telemetrySettings,
} from "./telemetry-settings.ts";

interface TelemetryJob {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly fetch: typeof fetch;
  readonly log: Pick<HttpLog, "warn">;
}

/** The standard's defaults. */
const SPANS_EVERY_MS = 5000;
const SPANS_MAX = 2048;
const SPANS_SENT_MAX = 512;

const LAST_MS = 2000;

/** Throws `bad-setting`. Nothing is sent before `start`. */
export function createTelemetry(job: TelemetryJob) {
  const { environment, version, now } = job;
  const settings = telemetrySettings(environment);
  const { traces, metrics, metricsEveryMs, resource, sampling } = settings;
  const sender = { resource, version };
  const startedAtMs = now();
  const spans = new Sending(settings, job);
  const sums = new Sending(settings, job);
  const timers: NodeJS.Timeout[] = [];
  let readFamilies: Monitoring["families"] = noFamilies;
  let waiting: object[] = [];
  let lost = 0;

  const sendSpans = async (timeoutMs?: number): Promise<void> => {
    if (traces === undefined) return;
    while (waiting.length > 0) {
      const part = waiting.slice(0, SPANS_SENT_MAX);
      if (!(await spans.send(traces, tracesBody(part, sender), timeoutMs))) break;
      waiting = waiting.slice(part.length);
    }
    if (lost > 0) job.log.warn({ spans: lost }, "spans_lost");
    lost = 0;
  };
  const sendMetrics = async (
    families: readonly MetricFamily[],
    timeoutMs?: number,
  ): Promise<void> => {
    if (metrics === undefined) return;
    const body = metricsBody(families, sender, { startedAtMs, nowMs: now() });
    await sums.send(metrics, body, timeoutMs);
  };
  const take = (request: AnsweredRequest): void => {
    const ids = sampledIds(request.traceparent, sampling);
    if (ids === undefined) return;
    if (waiting.length >= SPANS_MAX) lost += 1;
    else waiting.push(spanOf(request, ids));
  };
  return {
    answered: traces === undefined ? undefined : take,
    start(families: Monitoring["families"]): void {
      readFamilies = families;
      timers.push(
        setInterval(() => void spans.once(sendSpans), SPANS_EVERY_MS).unref(),
        setInterval(
          () => void sums.once(async () => sendMetrics(await readFamilies())),
          metricsEveryMs,
        ).unref(),
      );
    },
    async stop(closeServer: () => Promise<void>): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      const families = await readFamilies();
      await closeServer();
      await Promise.all([
        spans.once(() => sendSpans(LAST_MS)),
        sums.once(() => sendMetrics(families, LAST_MS)),
      ]);
    },
  };
}

async function noFamilies(): ReturnType<Monitoring["families"]> {
  return [];
}

/** Sends one body after the other, and logs the first failure of a row of them. */
class Sending {
  readonly #timeoutMs: number;
  readonly #job: TelemetryJob;
  #underWay: Promise<void> | undefined;
  #isFailing = false;

  constructor({ timeoutMs }: TelemetrySettings, job: TelemetryJob) {
    this.#timeoutMs = timeoutMs;
    this.#job = job;
  }

  /** Waits for running sends. */
  async once(work: () => Promise<void>): Promise<void> {
    await this.#underWay;
    this.#underWay = work().finally(() => (this.#underWay = undefined));
    await this.#underWay;
  }

  /** Returns whether the body must not be sent again. Never throws. */
  async send({ url, headers }: OtlpTarget, body: string, timeoutMs?: number): Promise<boolean> {
    try {
      const response = await this.#job.fetch(url, {
        method: "POST",
        // The headers may have a key, which must not be sent to the target of a redirect.
        redirect: "manual",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
        signal: AbortSignal.timeout(timeoutMs ?? this.#timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) return this.#failed(url, `status ${response.status}`, response.status);
      this.#isFailing = false;
      return true;
    } catch (error) {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      return this.#failed(url, cause instanceof Error ? cause.message : message, 503);
    }
  }

  /** The statuses after which the standard lets a client try again. */
  #failed(url: string, reason: string, status: number): boolean {
    if (!this.#isFailing) {
      this.#job.log.warn({ receiver: new URL(url).origin, reason }, "telemetry_not_sent");
    }
    this.#isFailing = true;
    return ![429, 502, 503, 504].includes(status);
  }
}
