import { LABEL_TOO_LONG, labelTooLong } from "../labels/label-table.ts";
import { type Role, strongerRole } from "../../model/role.ts";
import type { LinePoint } from "./line-point.ts";
import { type LineTargets, seriesIn } from "./point-values.ts";

const ALL_STEPS = "global information";
const WINDOW_SECONDS_MAX = 65_535;
const MICROS_PER_MILLI = 1000;
const COUNTS = ["ok.request.count", "fail.request.count"] as const;

/** Whether a point is what NBomber's sink writes of a step in an interval, or at the end. */
export function isNbomberStep(point: LinePoint): boolean {
  return (
    point.measurement === "nbomber" &&
    point.tag("step") !== undefined &&
    COUNTS.every((name) => point.field(name) !== undefined)
  );
}

/** Records intervals of NBomber's steps: docs/internals/formats/line-protocol.md. */
export class LineNbomber {
  readonly #targets: LineTargets;
  readonly #roles: (Role | undefined)[] = [];

  constructor(targets: LineTargets) {
    this.#targets = targets;
  }

  roleOf(label: number): Role | undefined {
    return this.#roles[label];
  }

  /** Returns why a point cannot be used. `endSecond` is when the interval ended. */
  take(point: LinePoint, endSecond: number): string | undefined {
    // At the end it writes the sums of the run.
    if (!point.holds(point.tag("current_operation"), "bombing")) return undefined;
    const [passed, failed] = [outcomeOf(point, "ok"), outcomeOf(point, "fail")];
    if (passed === undefined || failed === undefined) return "cannot read the numbers of the step";
    const requests = passed.requests + failed.requests;
    if (requests === 0) return undefined;
    const step = point.text(point.tag("step"));
    const scenario = point.text(point.tag("scenario"));
    const role = step === ALL_STEPS ? "transaction" : "request";
    const label = this.#targets.labels.indexOfText(role === "request" ? step : scenario);
    if (label === LABEL_TOO_LONG) return labelTooLong();
    this.#roles[label] = strongerRole(this.#roles[label] ?? role, role);
    const seconds = Math.round(requests / (passed.perSecond + failed.perSecond));
    const windowSeconds = Math.max(1, Math.min(WINDOW_SECONDS_MAX, seconds));
    const least = [passed, failed].filter((each) => each.requests > 0);
    this.#targets.sink.recordWindow({
      label: seriesIn(this.#targets, point, label),
      second: Math.max(1, endSecond - windowSeconds),
      windowSeconds,
      requests,
      elapsedMicros: passed.elapsedMicros + failed.elapsedMicros,
      receivedBytes: passed.receivedBytes + failed.receivedBytes,
      failedRequests: failed.requests,
      failedElapsedMicros: failed.elapsedMicros,
      failedReceivedBytes: failed.receivedBytes,
      minMicros: Math.min(...least.map(({ minMicros }) => minMicros)),
      maxMicros: Math.max(...least.map(({ maxMicros }) => maxMicros)),
      latencies: [],
    });
    this.#targets.sink.confirmSizes();
    return undefined;
  }
}

interface Outcome {
  readonly requests: number;
  readonly perSecond: number;
  readonly elapsedMicros: number;
  readonly minMicros: number;
  readonly maxMicros: number;
  readonly receivedBytes: number;
}

/** `undefined` if a number is missing or cannot be stored. */
function outcomeOf(point: LinePoint, outcome: "ok" | "fail"): Outcome | undefined {
  const number = (name: string): number => {
    const part = point.field(`${outcome}.${name}`);
    return part === undefined ? Number.NaN : Number(point.text(part).replace(/[iu]$/, ""));
  };
  const requests = number("request.count");
  const read = {
    requests,
    perSecond: number("request.rps"),
    elapsedMicros: Math.round(number("latency.mean") * MICROS_PER_MILLI * requests),
    minMicros: Math.round(number("latency.min") * MICROS_PER_MILLI),
    maxMicros: Math.round(number("latency.max") * MICROS_PER_MILLI),
    receivedBytes: number("datatransfer.all"),
  };
  const { perSecond, ...whole } = read;
  const isWhole = Object.values(whole).every((each) => each >= 0 && Number.isSafeInteger(each));
  return isWhole && perSecond >= 0 ? read : undefined;
}
