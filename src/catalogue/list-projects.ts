import type { Store } from "../store/store.ts";
import { isValidAt } from "./keys.ts";
import { prefixOf, projectsIn } from "./project-store.ts";

export interface Project {
  /** `undefined`: of what belongs to none. */
  readonly name: string | undefined;
  readonly loadTests: number;
  /** Valid ones, without links. */
  readonly keys: number;
}

/** What belongs to no project first, then the projects that have a load test or a valid key, by name. `atMs`: now. */
export async function listProjects(
  { loadTests, keys }: Pick<Store, "loadTests" | "keys">,
  atMs: number,
): Promise<readonly Project[]> {
  const all = await loadTests.list();
  const ofKeys = (await keys.list())
    .filter((key) => key.loadTestIds === undefined && isValidAt(key, atMs))
    .map(({ project }) => project);
  const names = new Set([...projectsIn(all), ...ofKeys.filter((name) => name !== undefined)]);
  return [undefined, ...[...names].toSorted()].map((name) => ({
    name,
    loadTests: all.filter(({ id }) => isOwn(id, name)).length,
    keys: ofKeys.filter((each) => each === name).length,
  }));
}

function isOwn(storedId: string, project: string | undefined): boolean {
  const prefix = prefixOf(project);
  return storedId.startsWith(prefix) && !storedId.slice(prefix.length).includes("/");
}
