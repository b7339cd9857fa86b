import { checkProject } from "../../catalogue/project-store.ts";
import type { Retention } from "../../catalogue/prune-load-tests.ts";
import { UserError } from "../../model/errors.ts";

const ITEM = /^([^:]+):(days|tests|seconds-days)=([1-9]\d{0,6})$/;

const MEMBER = { days: "keepDays", tests: "keepTests", "seconds-days": "keepSecondsDays" } as const;

/** Parses items such as `web:days=30`. Throws `bad-parameter`. */
export function parseRetentionIn(items: readonly string[]): ReadonlyMap<string, Retention> {
  const limits = new Map<string, Retention>();
  for (const item of items) {
    const [, project = "", limit = "", number = ""] = ITEM.exec(item) ?? [];
    if (number === "") {
      throw new UserError(
        "bad-parameter",
        `--keep-in: expected PROJECT:days=N, PROJECT:tests=N or PROJECT:seconds-days=N, got ${JSON.stringify(item)}`,
      );
    }
    const member = MEMBER[limit as keyof typeof MEMBER];
    limits.set(checkProject(project), { ...limits.get(project), [member]: Number(number) });
  }
  return limits;
}
