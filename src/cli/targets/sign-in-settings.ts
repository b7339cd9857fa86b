import { checkProject } from "../../catalogue/project-store.ts";
import { SCOPES } from "../../model/access-key.ts";
import { UserError } from "../../model/errors.ts";
import type { ServeRequest, SignInRole } from "../command-context.ts";

export interface SignInOptions {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecretFile?: string;
  readonly oidcClaim: string;
  readonly oidcRoles: readonly string[];
  readonly publicUrl?: string;
}

/** `undefined` without an issuer. Throws `bad-parameter`, `bad-setting`. */
export function signInOf(options: SignInOptions): ServeRequest["signIn"] {
  const { oidcIssuer: issuer, oidcClientId: clientId, publicUrl } = options;
  if (issuer === undefined) return undefined;
  if (clientId === undefined || publicUrl === undefined || options.oidcRoles.length === 0) {
    throw new UserError(
      "bad-setting",
      "--oidc-issuer also needs --oidc-client-id, --oidc-roles and --public-url",
    );
  }
  const { oidcClaim: claim, oidcClientSecretFile: clientSecretFile } = options;
  return { issuer, clientId, clientSecretFile, claim, roles: options.oidcRoles.map(roleOf) };
}

const ROLE = /^(.+)=([a-z+]+)(?:@(.+))?$/;

function roleOf(text: string): SignInRole {
  const [, value, names, project] = ROLE.exec(text) ?? [];
  const wanted = names?.split("+") ?? [];
  const scopes = SCOPES.filter((scope) => wanted.includes(scope));
  if (value !== undefined && scopes.length === wanted.length) {
    return { value, scopes, project: project === undefined ? undefined : checkProject(project) };
  }
  throw new UserError(
    "bad-parameter",
    `--oidc-roles: expected VALUE=SCOPE+SCOPE or VALUE=SCOPE@PROJECT, got ${JSON.stringify(text)}`,
  );
}
