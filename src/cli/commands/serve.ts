import type { Command, Option } from "commander";
import type { Retention } from "../../catalogue/prune-load-tests.ts";
import { checkProject } from "../../model/id.ts";
import { badParameter, UserError } from "../../model/errors.ts";
import {
  type DefineCommand,
  type ServeRequest,
  type SignInRole,
  SERVER_LIMITS,
} from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { addFlags, flag, keepFlags, listFlag, wholeNumber, withStore } from "../flags.ts";
import {
  type StoreLocationOptions,
  dataDirectory,
  storeLocationOf,
} from "../targets/store-location.ts";
import { SCOPES } from "../../model/access-key.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withServeFlags(command)
    .description("Serves the web UI and the HTTP API until it is stopped.")
    .addHelpText("after", EXAMPLES)
    .action((options: ServeOptions) =>
      run(async () => {
        const directory = dataDirectory(options.data, context.environment);
        const location = storeLocationOf(options, context.environment);
        await context.servers.serve({ location, directory, ...serveRequestOf(options) });
        return EXIT.done;
      }),
    );
};

const EXAMPLES = `
Every limit has a flag, too: tachograph config lists them.

Examples:
  tachograph serve
  tachograph serve --demo --port 0
  tachograph serve --host 0.0.0.0 --allowed-hosts metrics.example.org --base-path /load-tests
  tachograph serve --keep-days 90 --keep-tests 500
  tachograph serve --key-headers X-Api-Key --cors-origins https://grafana.example.org
`;

export type ServeOptions = ServeRequest["http"] &
  Retention &
  StoreLocationOptions &
  SignInOptions & {
    readonly demo?: true;
    readonly readOnly?: true;
    readonly initKeyFile?: string;
    readonly initKeyProject?: string;
    readonly keepIn: readonly string[];
    readonly keepEnvironmentDays: number;
    readonly tlsCertificate?: string;
    readonly tlsKey?: string;
    readonly notify: readonly string[];
    readonly notifySecret?: string;
    readonly notifyRecovered?: boolean;
    readonly prometheus: readonly string[];
  };

/** Limits are not in the help: there are many, and `config` lists them. */
export function withServeFlags(command: Command): Command {
  const flags = [
    flag("--host <address>", "address to listen on").default("127.0.0.1"),
    flag("--port <number>", "port to listen on; 0: any free port")
      .argParser(wholeNumber(0, 65_535))
      .default(8013),
    flag(
      "--otlp-grpc-port <number>",
      "also receive OpenTelemetry over gRPC at this port, usually 4317; 0: any free port",
    ).argParser(wholeNumber(0, 65_535)),
    flag("--base-path <path>", "prefix of all paths").default("/"),
    listFlag("--allowed-hosts <list>", "additional host names to accept; *: any"),
    listFlag("--cors-origins <list>", "origins allowed to read responses (CORS)"),
    listFlag(
      "--key-headers <list>",
      "headers that may carry the key, in addition to X-Service-Auth",
    ),
    listFlag(
      "--trusted-proxies <list>",
      "trusted proxies, whose X-Forwarded-For is used: 10.0.0.0/8",
    ),
    flag("--tls-certificate <file>", "serve HTTPS with this certificate chain (PEM)"),
    flag("--tls-key <file>", "private key of the certificate (PEM, without a passphrase)"),
    flag("--init-key-file <file>", "accept the admin key in this file; a missing one is made"),
    flag("--init-key-project <name>", "project of that key").hideHelp(),
    ...keepFlags(),
    listFlag(
      "--keep-in <list>",
      "limits of projects instead: web:days=30,web:tests=500",
    ).hideHelp(),
    flag(
      "--keep-seconds-days <number>",
      "merge seconds into minutes in runs without data for this many days",
    ).argParser(wholeNumber(1, 36_500)),
    flag(
      "--keep-environment-days <number>",
      "delete measures of environments that arrived before this many days",
    )
      .argParser(wholeNumber(1, 36_500))
      .default(7)
      .hideHelp(),
    listFlag(
      "--notify <list>",
      "post broken and failed thresholds to these addresses: [slack+|teams+]https://...",
    ),
    flag("--notify-secret <text>", "sign these notices"),
    flag(
      "--notify-recovered",
      "also post when a run in progress keeps its thresholds again",
    ).hideHelp(),
    listFlag(
      "--prometheus <list>",
      "let thresholds of a name pull measures from these addresses when a run ends",
    ).hideHelp(),
    flag(
      "--public-url <url>",
      "address of this server, for links in notices; with https, cookies are only sent by TLS",
    ),
    flag("--trace-url <url>", "address of a trace, linked from requests: https://.../{traceId}"),
    flag("--oidc-issuer <url>", "sign people in at this OpenID Connect provider").hideHelp(),
    flag("--oidc-client-id <id>", "client id at that provider").hideHelp(),
    flag("--oidc-client-secret-file <file>", "with the client secret (default: none)").hideHelp(),
    flag("--oidc-claim <name>", "claim whose values give roles").default("groups").hideHelp(),
    listFlag("--oidc-roles <list>", "roles: devs=read+write,web-team=read@web").hideHelp(),
    flag("--demo", "add a recorded run and a key to read it"),
    flag("--read-only", "never write to the data directory; refuse requests that would").conflicts([
      "demo",
      "initKeyFile",
      "oidcIssuer",
      "keepDays",
      "keepTests",
      "keepSecondsDays",
      "keepIn",
      "keepEnvironmentDays",
      "notify",
      "notifySecret",
      "notifyRecovered",
      "prometheus",
    ]),
  ];
  return addFlags(withStore(addFlags(command, flags)), limitFlags());
}

function limitFlags(): Option[] {
  return Object.entries(SERVER_LIMITS).map(([name, description]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return flag(`--${words} <number>`, description)
      .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .hideHelp();
  });
}

/** Throws `bad-setting` for half of a TLS identity. */
export function serveRequestOf(
  options: ServeOptions,
): Omit<ServeRequest, "location" | "directory"> {
  const { initKeyProject, keepDays, keepTests, keepSecondsDays, keepEnvironmentDays } = options;
  const limits = Object.keys(SERVER_LIMITS) as (keyof typeof SERVER_LIMITS)[];
  const given = limits.filter((name) => options[name] !== undefined);
  return {
    isDemo: options.demo === true,
    isReadOnly: options.readOnly === true,
    initKey: {
      file: options.initKeyFile,
      project: initKeyProject === undefined ? undefined : checkProject(initKeyProject),
    },
    tls: tlsFilesOf(options.tlsCertificate, options.tlsKey),
    retention: { keepDays, keepTests, keepSecondsDays, keepEnvironmentDays },
    retentionIn: parseRetentionIn(options.keepIn),
    signIn: signInOf(options),
    notices: {
      targets: options.notify,
      secret: options.notifySecret,
      tellsRecovery: options.notifyRecovered ?? false,
      publicUrl: options.publicUrl,
    },
    prometheus: options.prometheus,
    http: {
      host: options.host,
      port: options.port,
      otlpGrpcPort: options.otlpGrpcPort,
      basePath: options.basePath,
      allowedHosts: options.allowedHosts,
      corsOrigins: options.corsOrigins,
      keyHeaders: options.keyHeaders,
      trustedProxies: options.trustedProxies,
      traceUrl: options.traceUrl,
      ...Object.fromEntries(given.map((name) => [name, options[name]])),
    },
  };
}

function tlsFilesOf(certificateFile?: string, keyFile?: string): ServeRequest["tls"] {
  if (certificateFile !== undefined && keyFile !== undefined) return { certificateFile, keyFile };
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  const [got, want] =
    certificateFile === undefined ? ["key", "certificate"] : ["certificate", "key"];
  throw new UserError("bad-setting", `cannot serve HTTPS: got a ${got} without a ${want}`);
}

const ITEM = /^([^:]+):(days|tests|seconds-days)=([1-9]\d{0,6})$/;

const MEMBER = { days: "keepDays", tests: "keepTests", "seconds-days": "keepSecondsDays" } as const;

/** Parses items such as `web:days=30`. Throws `bad-parameter`. */
function parseRetentionIn(items: readonly string[]): ReadonlyMap<string, Retention> {
  const limits = new Map<string, Retention>();
  for (const item of items) {
    const [, project = "", limit = "", number = ""] = ITEM.exec(item) ?? [];
    if (number === "") {
      throw badParameter(
        `--keep-in: expected PROJECT:days=N, PROJECT:tests=N or PROJECT:seconds-days=N, got ${JSON.stringify(item)}`,
      );
    }
    const member = MEMBER[limit as keyof typeof MEMBER];
    limits.set(checkProject(project), { ...limits.get(project), [member]: Number(number) });
  }
  return limits;
}

interface SignInOptions {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecretFile?: string;
  readonly oidcClaim: string;
  readonly oidcRoles: readonly string[];
  readonly publicUrl?: string;
}

/** `undefined` without an issuer. Throws `bad-parameter`, `bad-setting`. */
function signInOf(options: SignInOptions): ServeRequest["signIn"] {
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
  throw badParameter(
    `--oidc-roles: expected VALUE=SCOPE+SCOPE or VALUE=SCOPE@PROJECT, got ${JSON.stringify(text)}`,
  );
}
