import { z } from "zod";
import { loadTestJson } from "../../render/load-test-json.ts";
import { limit } from "../part.ts";
import { toolOf } from "../tool.ts";

export const listLoadTests = toolOf({
  name: "list_load_tests",
  title: "List load tests",
  description:
    "Load tests, latest start first: id, name, tags, requests, failed requests, first and last UNIX " +
    "second. `next` of an answer, given as `after`, leads to the next page; null on the last one.",
  input: {
    search: z
      .string()
      .min(1)
      .optional()
      .describe("text that the id, the name, a tag or a format contains"),
    tag: z.string().min(1).optional().describe("a tag that it has, exactly"),
    after: z.string().min(1).optional(),
    limit: limit(20, 100),
  },
  async answer(query, measurements) {
    await using opened = await measurements.openCatalogue();
    const { loadTests, next } = await opened.catalogue.list(query);
    return { loadTests: loadTests.map(loadTestJson), next: next ?? null };
  },
});
