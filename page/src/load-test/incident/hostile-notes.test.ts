import { expect, test } from "vitest";
import { HOSTILE_TEXTS, UNSEEN } from "../../../../test/hostile-labels/texts.ts";
import { incidentMarkdown } from "./incident.ts";

test("notes are code in the Markdown of an incident", () => {
  for (const text of HOSTILE_TEXTS) {
    const markdown = incidentMarkdown({
      name: text,
      address: "https://results.example.org",
      when: "14:00:00 to 14:00:39",
      endpoints: [],
      part: "",
      kinds: [],
      users: undefined,
      measures: [],
      baseline: undefined,
      causes: [text],
      moved: [],
      notes: [text],
    });
    expect(markdown).not.toMatch(UNSEEN);
    // As CommonMark reads them: a code span ends with as many backticks as it begins with.
    const outside = markdown.replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
    expect(outside).toBe(
      "## , 14:00:00 to 14:00:39\n\n- May explain it: \n- Events: \n\n|  | before | during | change |\n" +
        "| --- | --- | --- | --- |\n\nhttps://results.example.org\n",
    );
  }
});
