import { type Answer, ask } from "./client.ts";

export type MadeLink = Answer<"createLink">;
export type Link = Answer<"revokeLink">;

/** What a link opens: a load test, or its comparison with a base. */
export interface Shared {
  readonly loadTestId: string;
  readonly base: string | undefined;
}

export interface LinkRequest extends Shared {
  readonly name: string;
  /** `undefined`: never expires. */
  readonly expiresDays: number | undefined;
}

/** The links that open exactly this and still work, by time of creation. */
export async function listLinks(
  { loadTestId, base }: Shared,
  signal: AbortSignal,
): Promise<readonly Link[]> {
  const { links } = await ask("listLinks", {}, { signal });
  return links.filter(
    (link) =>
      link.loadTestId === loadTestId && link.base === (base ?? null) && link.revokedAt === null,
  );
}

export function createLink(request: LinkRequest): Promise<MadeLink> {
  const { name, loadTestId, base, expiresDays } = request;
  const compared = base === undefined ? {} : { base };
  const until = expiresDays === undefined ? {} : { expiresDays };
  return ask("createLink", {}, { body: { name, loadTestId, ...compared, ...until } });
}

export function revokeLink(name: string): Promise<Link> {
  return ask("revokeLink", { name });
}
