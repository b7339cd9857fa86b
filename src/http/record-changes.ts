import type { RecordChange } from "../catalogue/audit.ts";
import { withoutKeys } from "../catalogue/keys.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import { UserError } from "../model/errors.ts";
import type { ParameterValues } from "./request/parameters.ts";
import { HttpError } from "./response/http-error.ts";
import type { Call, Route, RouteResponse } from "./route.ts";

export type Handle = (route: Route, values: ParameterValues, call: Call) => Promise<RouteResponse>;

/** Calls handlers, and records changes before they are acknowledged. */
export function createRecordingHandler(record: RecordChange): Handle {
  /** Live writes and failures, which clients repeat. */
  const recorded = new LruCache<string, true>(RECORDED_MAX);
  return async (route, values, call) => {
    const { method, scope, operationId, audited } = route;
    const isChange = method !== "GET" && scope !== undefined && audited !== "never";
    if (!isChange) return route.handle(values, call);
    const note = async (outcome: string, targets: Targets): Promise<void> => {
      const key = call.key?.name;
      for (const target of targets) {
        if (audited === "once" || outcome !== DONE) {
          const name = JSON.stringify([key, shortened(target), outcome, audited ?? operationId]);
          if (recorded.get(name) === true) continue;
          recorded.set(name, true);
        }
        const details = detailsOf(route, values, call);
        const entry = { project: call.key?.project, key, operation: operationId, outcome, details };
        await record({ ...entry, target: target && shortened(withoutKeys(target)) });
      }
    };
    try {
      const answer = await route.handle(values, call);
      await note(DONE, answer.targets ?? [targetOf(route, values, call)]);
      return answer;
    } catch (error) {
      const changed = error instanceof HttpError ? error.targets : [];
      await note(codeOf(error), changed.length > 0 ? changed : [targetOf(route, values, call)]);
      throw error;
    }
  };
}

type Targets = readonly (string | undefined)[];

const DONE = "done";
const RECORDED_MAX = 10_000;

/** Ids and names are shorter, but for those that are refused. */
const TEXT_LENGTH_MAX = 1000;

function shortened(text: string | undefined): string | undefined {
  return text?.slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

function codeOf(error: unknown): string {
  return error instanceof UserError || error instanceof HttpError ? error.code : "internal-error";
}

/** Live writes name theirs first, unless they name an environment. */
function targetName({ audited, parameters = [] }: Route): string | undefined {
  const found = parameters.find(({ in: place, required }) => place === "path" || required);
  return (found ?? (audited === "once" ? parameters[0] : undefined))?.name;
}

function targetOf(route: Route, values: ParameterValues, { members }: Call): string | undefined {
  const target = values.get(targetName(route) ?? "") ?? members["id"] ?? members["name"];
  return typeof target === "string" ? target : undefined;
}

/** What was sent besides the target, but for a streamed body. */
function detailsOf(route: Route, values: ParameterValues, { members }: Call): string | undefined {
  const others = [...values].filter(([name]) => name !== targetName(route));
  const sent = { ...Object.fromEntries(others), ...members };
  if (Object.keys(sent).length === 0) return undefined;
  return shortened(withoutKeys(JSON.stringify(sent)));
}
