import { LINK_SCHEMA, type LinkJson, LINKS_SCHEMA, MADE_LINK_SCHEMA } from "../api/links.ts";
import type { Links } from "../catalogue/links.ts";
import type { LinkInfo } from "../model/access-key.ts";
import { formed, formOf } from "./form-of.ts";
import { parseTimes } from "./remote-keys.ts";
import type { ServerCalls } from "./server-calls.ts";

const [LINK, LINKS, MADE] = [formOf(LINK_SCHEMA), formOf(LINKS_SCHEMA), formOf(MADE_LINK_SCHEMA)];

const PATH = "/Api/Links";

/** Links of a server; needs a key with the scope write. See `openRemoteCatalogue`. */
export function openRemoteLinks(
  reads: Pick<ServerCalls, "read">,
  changes: Pick<ServerCalls, "call">,
): Links {
  return {
    async list() {
      const { links } = await reads.read(PATH, LINKS);
      return links.map(parseLink);
    },
    async create(request) {
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(request);
      const answer = await changes.call({ method: "POST", path: PATH, headers, body });
      const made = formed(MADE, answer, "the answer of the server to POST links");
      return { text: made.key, link: parseLink(made) };
    },
    async revoke(name) {
      const path = `${PATH}/${encodeURIComponent(name)}`;
      const answer = await changes.call({ method: "DELETE", path });
      return parseLink(formed(LINK, answer, "the answer of the server to DELETE links"));
    },
  };
}

function parseLink({ name, loadTestId, base, ...times }: LinkJson): LinkInfo {
  return { name, loadTestId, base: base ?? undefined, ...parseTimes(times) };
}
