import { LOAD_TEST, PART, rangeOf, selectionOf } from "../part.ts";
import { toolOf } from "../tool.ts";

export const readCapacity = toolOf({
  name: "read_capacity",
  title: "Read how much load the system can take",
  description:
    "Of a load test that ramps up: requests per second and 95th percentile in seconds by load " +
    "(active users, or requests per second if users are not recorded), ascending. `peak` is the " +
    "largest throughput with its 95 % confidence limits, `p95Doubled` the load at which the 95th " +
    "percentile is twice that of the lowest loads. Without either, no limit was seen up to the " +
    "largest load; nothing is known if `isLoadVaried` is false.",
  input: { id: LOAD_TEST, ...PART },
  async answer({ id, ...part }, measurements) {
    await using opened = await measurements.openReader();
    const query = { loadTestId: id, selection: selectionOf(part), range: rangeOf(part) };
    const { levels, ...capacity } = await opened.reader.capacity(query);
    const rows = levels.map(({ load, reqPerSec, p95 }) => [load, reqPerSec, p95]);
    return { ...capacity, columns: ["load", "reqPerSec", "p95"], rows };
  },
});
