import type { NewLink } from "../api/keys.ts";
import type { KeyInfo, LinkInfo } from "../model/access-key.ts";
import { badParameter, UserError } from "../model/errors.ts";
import { requireLoadTest } from "../model/load-test.ts";
import type { LoadTests } from "../store/store.ts";
import type { KeyRing } from "./keys.ts";

/** Links: keys that open one load test, or one comparison, to read. They share their names with keys. */
export interface Links {
  /** By time of creation, including revoked and expired ones. */
  list(): Promise<readonly LinkInfo[]>;
  /** Throws `unknown-load-test`, `bad-key-name`, `key-name-taken`, `bad-parameter` for a base that is the load test itself. */
  create(request: NewLink): Promise<MadeLink>;
  /** Revokes immediately and permanently, and returns the revoked link. Idempotent. Throws `unknown-link`. */
  revoke(name: string): Promise<LinkInfo>;
}

interface MadeLink {
  /** The key of the link: not stored, cannot be read again. */
  readonly text: string;
  readonly link: LinkInfo;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `now`: milliseconds since the epoch. The links are those of a project, and `loadTests` are its own. */
export function createLinks(
  ring: Pick<KeyRing, "list" | "create" | "revoke">,
  loadTests: Pick<LoadTests, "find">,
  now: () => number,
  project?: string,
): Links {
  const list = async (): Promise<readonly LinkInfo[]> =>
    (await ring.list()).filter((key) => key.project === project).flatMap(linksIn);
  const named = async (name: string): Promise<LinkInfo> => {
    const link = (await list()).find((each) => each.name === name);
    if (link !== undefined) return link;
    throw new UserError("unknown-link", `there is no link named ${JSON.stringify(name)}`);
  };
  return {
    list,
    async create({ name, loadTestId, base, files: opensFiles, expiresDays }) {
      if (base === loadTestId) {
        throw badParameter("base: expected another load test than the compared one");
      }
      const loadTestIds = base === undefined ? [loadTestId] : [loadTestId, base];
      const loadTestTimesMs: number[] = [];
      for (const id of loadTestIds) {
        loadTestTimesMs.push(requireLoadTest(await loadTests.find(id), id).createdAtMs);
      }
      const expiresAtMs = expiresDays === undefined ? undefined : now() + expiresDays * DAY_MS;
      const opens = { loadTestIds, loadTestTimesMs, opensFiles, project };
      const text = await ring.create({ name, scopes: ["read"], expiresAtMs, ...opens });
      return { text, link: await named(name) };
    },
    async revoke(name) {
      await named(name);
      await ring.revoke(name);
      return named(name);
    },
  };
}

function linksIn(key: KeyInfo): readonly LinkInfo[] {
  const { name, createdAtMs, lastUsedAtMs, expiresAtMs, revokedAtMs } = key;
  const [loadTestId, base] = key.loadTestIds ?? [];
  if (loadTestId === undefined) return [];
  const files = key.opensFiles === true;
  return [{ name, loadTestId, base, files, createdAtMs, lastUsedAtMs, expiresAtMs, revokedAtMs }];
}

/** Where the page opens a link, below the address of the server. The key is behind `#`: browsers do not send it. */
export function linkPath({ text, link: { loadTestId, base } }: MadeLink): string {
  const ids = (base === undefined ? ["t", loadTestId] : ["compare", base, loadTestId]).join("/");
  return `/${ids}#${text}`;
}
