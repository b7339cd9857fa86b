import { z } from "zod";
import { loadTestJson } from "../../render/load-test-json.ts";
import { limit } from "../part.ts";
import { toolOf } from "../tool.ts";

export const listLoadTests = toolOf({
  name: "list_load_tests",
  title: "List load tests",
  description:
    "Lists load tests, latest start first: id, name, tags, requests, failed requests, first and " +
    "last UNIX second. Pass `next` as `after` to get the next page; it is null on the last page.",
  input: {
    search: z
      .string()
      .min(1)
      .optional()
      .describe("text that the id, the name, a tag or a format contains"),
    tag: z.string().min(1).optional().describe("an exact tag"),
    after: z.string().min(1).optional(),
    limit: limit(20, 100),
  },
  async answer(query, measurements) {
    await using opened = await measurements.openCatalogue();
    const { loadTests, next } = await opened.catalogue.list(query);
    return { loadTests: loadTests.map(loadTestJson), next: next ?? null };
  },
});
