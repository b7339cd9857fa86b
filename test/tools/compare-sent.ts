import {
  endpointDifferences,
  failureDifferences,
  summaryOf,
  userDifferences,
} from "./compare-run.ts";
import type { RunningReceiver } from "./receiver.ts";
import type { Comparison, SentLoadTest } from "./tool.ts";

/** Compares what a tool sent during its run with the tool's own report. */
export async function compareSent(
  receiver: RunningReceiver,
  { loadTestId, report, lost }: SentLoadTest,
): Promise<Comparison> {
  if (lost !== undefined) return { differences: [], figures: `not compared: ${lost}` };
  const sent = await receiver.read(loadTestId);
  if (sent === undefined)
    return { differences: [`${loadTestId}: nothing was sent`], figures: "none" };
  const differences = [
    ...endpointDifferences(sent, report),
    ...failureDifferences(sent, report),
    ...userDifferences(sent, report),
  ].map((difference) => `${loadTestId}: ${difference}`);
  return { differences, figures: summaryOf(sent, report).join(", ") };
}
