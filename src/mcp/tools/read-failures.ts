import { LOAD_TEST, PART, rangeOf, selectionOf, limit, shortened } from "../part.ts";
import { toolOf } from "../tool.ts";

export const readFailures = toolOf({
  name: "read_failures",
  title: "Read why requests failed",
  description:
    "Failed requests by endpoint and kind (code and message as recorded by the tool), without " +
    "transactions and sub-results, most frequent first, with the first and last UNIX second. " +
    "`notShown` is the number of further kinds.",
  input: { id: LOAD_TEST, ...PART, limit: limit(30, 500) },
  async answer({ id, limit: max, ...part }, measurements) {
    await using opened = await measurements.openReader();
    const query = { loadTestId: id, selection: selectionOf(part), range: rangeOf(part) };
    const endpoints = (await opened.reader.failures(query)).filter(
      ({ leftOut }) => leftOut === undefined,
    );
    const kinds = endpoints.flatMap(({ label, kinds: own }) =>
      own.map(({ code, message, requests, from, until }) => {
        return { label, code, message, count: requests, from: from ?? null, until: until ?? null };
      }),
    );
    const most = kinds.toSorted((left, right) => right.count - left.count);
    const { shown, notShown } = shortened(most, max);
    const sum = (which: "failedRequests" | "withoutKind"): number =>
      endpoints.reduce((total, endpoint) => total + endpoint[which], 0);
    const counts = { errCount: sum("failedRequests"), withoutKind: sum("withoutKind") };
    return { ...counts, kinds: shown, notShown };
  },
});
