import { z } from "zod";
import { limit, LOAD_TEST, PART, rangeOf, shortened } from "../part.ts";
import { toolOf } from "../tool.ts";

const { from, until } = PART;

export const readMeasures = toolOf({
  name: "read_measures",
  title: "Read what else was measured",
  description:
    "Measures besides requests, such as CPU and memory of servers, phases of requests, checks and metrics of " +
    "the script: figures by series, with unit, kind, tags and endpoint. `unstored` counts values that were " +
    "not stored. `notShown` is the number of further series.",
  input: {
    id: LOAD_TEST,
    from,
    until,
    name: z.string().min(1).optional().describe("only measures of this name"),
    limit: limit(50, 500),
  },
  async answer({ id, limit: max, name, ...part }, measurements) {
    await using opened = await measurements.openReader();
    const query = { loadTestId: id, range: rangeOf(part), name };
    const { measures, unstored } = await opened.reader.measures(query);
    return { ...shortened(measures, max), unstored };
  },
});
