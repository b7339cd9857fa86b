import { anomaliesOf } from "../../src/analysis/findings/incidents.ts";
import type { Anomaly } from "../../src/api/findings.ts";
import type { Findings } from "../../src/analysis/findings/read-findings.ts";

type Of<Kind extends Anomaly["kind"]> = Extract<Anomaly, { readonly kind: Kind }>;

/** The first of a kind, if any. */
export function firstOf<Kind extends Anomaly["kind"]>(
  { incidents }: Pick<Findings, "incidents">,
  kind: Kind,
): Of<Kind> | undefined {
  return anomaliesOf(incidents).find((each): each is Of<Kind> => each.kind === kind);
}
