import type { ClientConfig } from "pg";
import { UserError } from "../../model/errors.ts";

/** Where the database is, and which of its servers to use. */
export interface PostgresSettings {
  /** One for each host, in the order of the URL. */
  readonly servers: readonly ClientConfig[];
  /** Whether standbys will not do. */
  readonly isWriting: boolean;
  /** Without a password, for messages. */
  readonly description: string;
}

const PARTS = /^postgres(?:ql)?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#]*)(?<rest>[/?].*)?$/;
const SESSION_ATTRIBUTES = ["any", "read-write", "primary"];

/**
 * Parses a URL as libpq does: several hosts, `target_session_attrs` (any, read-write or primary), `sslmode`, `sslrootcert`.
 * Throws `bad-setting`.
 */
export function parsePostgresUrl(text: string): PostgresSettings {
  const { user, hosts = "", rest = "" } = PARTS.exec(text.trim())?.groups ?? {};
  const description = `postgres://${hosts}${rest.split("?")[0] ?? ""}`;
  const wrong = (why: string): UserError =>
    new UserError(
      "bad-setting",
      `not the address of a PostgreSQL database: ${why}; expected ` +
        `postgres://USER:PASSWORD@HOST:5432/DATABASE, got ${JSON.stringify(description)}`,
    );
  if (!PARTS.test(text.trim())) throw wrong("it does not begin with postgres://");
  const query = new URLSearchParams(rest.includes("?") ? rest.slice(rest.indexOf("?") + 1) : "");
  const attributes = query.get("target_session_attrs") ?? "read-write";
  if (!SESSION_ATTRIBUTES.includes(attributes)) {
    throw wrong(`target_session_attrs is one of ${SESSION_ATTRIBUTES.join(", ")}`);
  }
  query.delete("target_session_attrs");
  // As libpq: "require" encrypts, "verify-full" checks the certificate, too.
  if (query.has("sslmode")) query.set("uselibpqcompat", "true");
  const path = rest.split("?")[0] ?? "";
  const servers = hosts.split(",").map((host) => {
    const connectionString = `postgres://${user === undefined ? "" : `${user}@`}${host}${path}?${query}`;
    if (host !== "" && !URL.canParse(connectionString)) throw wrong(`${host} is not a host`);
    return { connectionString } satisfies ClientConfig;
  });
  return { servers, isWriting: attributes !== "any", description };
}
