import { LOAD_TEST, RAMPS, SELECTION, selectionOf, limit, shortened } from "../part.ts";
import { toolOf } from "../tool.ts";
import { withoutHash } from "./summarise.ts";

export const compare = toolOf({
  name: "compare_load_tests",
  title: "Compare two load tests",
  description:
    "Compares a later load test (`id`) with an earlier one (`base`), endpoint by endpoint, worst " +
    "first. `verdict` is slower or faster (by 5 % or more, beyond noise), unchanged (a shift of " +
    "5 % is ruled out), inconclusive (neither), tooFew (requests), tooShort (in time), new or " +
    "gone. Times are in seconds; `change` is relative for times (0.1: 10 % slower) and a " +
    "difference for error rates; `low` and `high` are its confidence limits. `quality` lists " +
    "limitations of the figures of each side. `noise` says whether earlier runs told how much runs " +
    "differ without a change (`between`) or not (`within`); `betweenRuns` has that spread.",
  input: {
    base: LOAD_TEST.describe("id of the earlier load test"),
    id: LOAD_TEST.describe("id of the later load test"),
    ...SELECTION,
    ...RAMPS,
    limit: limit(20, 200),
  },
  async answer({ base, id, limit: max, ...part }, measurements) {
    const { skipStartSeconds, skipEndSeconds } = part;
    const steady = { range: undefined, skipStartSeconds, skipEndSeconds };
    const both = { selection: selectionOf(part), ...steady };
    await using opened = await measurements.openReader();
    const { endpoints, ...comparison } = await opened.reader.compare({
      base: { ...both, loadTestId: base },
      later: { ...both, loadTestId: id },
    });
    const { shown, notShown } = shortened(endpoints, max);
    return { ...comparison, endpoints: shown.map(withoutHash), notShown };
  },
});
