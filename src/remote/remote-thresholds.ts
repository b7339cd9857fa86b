import type { ThresholdsByName } from "../analysis/thresholds/kept-thresholds.ts";
import { THRESHOLDS } from "../api/thresholds.ts";
import { formOf } from "./form-of.ts";
import type { ServerCalls } from "./server-calls.ts";

const FORM = formOf(THRESHOLDS);

/** The kept thresholds of a server; see `openRemoteCatalogue`. */
export function openRemoteThresholds(
  reads: Pick<ServerCalls, "read">,
  changes: Pick<ServerCalls, "call">,
): ThresholdsByName {
  return {
    find: (name) => reads.read(pathOf(name), FORM),
    async keep(name, thresholds) {
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(thresholds);
      await changes.call({ method: "PUT", path: pathOf(name), headers, body });
    },
  };
}

function pathOf(name: string): string {
  return `/Api/Thresholds/${encodeURIComponent(name)}`;
}
