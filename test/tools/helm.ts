/**
 * Renders the chart with real Helm, checks each manifest against the types of Kubernetes, and its contents:
 *
 *     npm run task test:helm [-- --require]
 *
 * Exits with 1 if anything is wrong, or, with --require, if Helm cannot be installed. The first installation
 * compiles for minutes.
 */

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { installTool } from "./install.ts";
import { runCommand } from "./run-command.ts";

const VERSION = "3.18.6";
const KUBERNETES = "v0.33.3";
const CHART = path.join(import.meta.dirname, "../../deploy/helm");
const INSTALL_MS = 1_200_000;

const INGRESS = ["ingress.enabled=true", "ingress.host=metrics.example.org"];

interface Rendering {
  readonly title: string;
  /** Of `--set`. */
  readonly values: readonly string[];
  /** Of a values file, as YAML. */
  readonly file?: string;
  /** Kinds of the manifests, in their order. */
  readonly kinds?: readonly string[] | undefined;
  /** Each occurs in the manifests as JSON. */
  readonly holds?: readonly string[];
  readonly lacks?: readonly string[];
  /** The error, if the values are refused. */
  readonly refusal?: string;
}

const RENDERINGS: readonly Rendering[] = [
  {
    title: "by default: one server, a volume, no rights",
    values: [],
    kinds: ["Service", "StatefulSet"],
    holds: [
      '"replicas":1',
      '"runAsNonRoot":true',
      '"readOnlyRootFilesystem":true',
      '"capabilities":{"drop":["ALL"]}',
      '"image":"tachograph:0.2.0"',
      '{"name":"TACHOGRAPH_ALLOWED_HOSTS","value":"demo,demo.load"}',
      '{"name":"TACHOGRAPH_DATA","value":"/data/tachograph"}',
      '"httpGet":{"path":"/health/ready","port":"http"}',
      '"resources":{"requests":{"storage":"10Gi"}}',
      '"automountServiceAccountToken":false',
      '"enableServiceLinks":false',
    ],
    lacks: ["otlp-grpc", "TACHOGRAPH_INIT_KEY_FILE", "envFrom", '"data","emptyDir"'],
  },
  {
    title: "with OpenTelemetry over gRPC",
    values: ["env.TACHOGRAPH_OTLP_GRPC_PORT=4318"],
    holds: [
      '{"name":"otlp-grpc","port":4317,"targetPort":4318}',
      '{"name":"TACHOGRAPH_OTLP_GRPC_PORT","value":"4318"}',
    ],
  },
  {
    title: "with another port of the container: the service keeps its own",
    values: ["env.TACHOGRAPH_PORT=9000"],
    holds: [
      '"ports":[{"name":"http","containerPort":9000}]',
      '{"name":"http","port":8013,"targetPort":"http"}',
      '{"name":"TACHOGRAPH_PORT","value":"9000"}',
    ],
  },
  {
    title: "with settings of a values file",
    values: [],
    file: "env: { TACHOGRAPH_WRITE_BYTES_MAX: 25000000, TACHOGRAPH_DATA: /data/other, TACHOGRAPH_SIGN_IN: true }",
    holds: [
      '{"name":"TACHOGRAPH_WRITE_BYTES_MAX","value":"25000000"}',
      '{"name":"TACHOGRAPH_DATA","value":"/data/other"}',
      '{"name":"TACHOGRAPH_SIGN_IN","value":"true"}',
    ],
    lacks: ["/data/tachograph"],
  },
  {
    title: "with a key, secrets, an ingress and a base path",
    values: [
      ...INGRESS,
      "initKeySecret=first",
      "envSecrets[0]=webhook",
      "env.TACHOGRAPH_BASE_PATH=/load-tests/",
      "ingress.tlsSecret=certificate",
      "ingress.className=nginx",
      "allowedHosts[0]=other.example.org",
      "persistence.storageClass=fast",
      "image.tag=1.2.3",
    ],
    kinds: ["Service", "StatefulSet", "Ingress"],
    holds: [
      '{"name":"TACHOGRAPH_INIT_KEY_FILE","value":"/run/secrets/tachograph/key"}',
      '{"name":"init-key","secret":{"secretName":"first","items":[{"key":"key","path":"key"}]}}',
      '"envFrom":[{"secretRef":{"name":"webhook"}}]',
      '"value":"demo,demo.load,other.example.org,metrics.example.org"',
      '"path":"/load-tests/health/live"',
      '"path":"/load-tests/","pathType":"Prefix"',
      '"tls":[{"hosts":["metrics.example.org"],"secretName":"certificate"}]',
      '"ingressClassName":"nginx"',
      '"storageClassName":"fast"',
      '"image":"tachograph:1.2.3"',
    ],
  },
  {
    title: "on chosen nodes, with the secret of a sign-in as a file",
    values: [],
    file: `
volumes: [{ name: oidc, secret: { secretName: oidc } }]
volumeMounts: [{ name: oidc, mountPath: /run/secrets/oidc, readOnly: true }]
nodeSelector: { disk: ssd }
tolerations: [{ key: load, operator: Exists }]
affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: Exists }] }] } } }
`,
    holds: [
      '{"name":"oidc","secret":{"secretName":"oidc"}}',
      '{"mountPath":"/run/secrets/oidc","name":"oidc","readOnly":true}',
      '"nodeSelector":{"disk":"ssd"}',
      '"tolerations":[{"key":"load","operator":"Exists"}]',
      '"matchExpressions":[{"key":"zone","operator":"Exists"}]',
    ],
  },
  {
    title: "an ingress without a host",
    values: ["ingress.enabled=true"],
    refusal: "ingress.host: want the name of the host",
  },
];

async function main(): Promise<number> {
  let bin: string;
  try {
    bin = path.join(await installTool({ name: "helm", version: VERSION, install }), "bin");
  } catch (error) {
    console.log(`SKIPPED  helm ${VERSION}: it cannot be installed: ${String(error)}`);
    return process.argv.includes("--require") ? 1 : 0;
  }
  const lint = run(path.join(bin, "helm"), ["lint", "--strict", CHART]);
  const results = [
    { title: "lint", faults: lint.status === 0 ? [] : [lint.stdout] },
    ...RENDERINGS.map((rendering) => ({
      title: rendering.title,
      faults: faultsOf(rendering, bin),
    })),
  ];
  for (const { title, faults } of results) {
    console.log(`${faults.length === 0 ? "ok     " : "WRONG  "}  ${title}`);
    for (const fault of faults) console.log(`         ${fault}`);
  }
  return results.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

async function install(folder: string): Promise<void> {
  const bin = path.join(folder, "bin");
  const check = path.join(folder, "check");
  for (const each of [bin, check]) mkdirSync(each);
  const log = path.join(folder, "install.log");
  const go = (words: readonly string[]): Promise<void> =>
    runCommand("go", words, { cwd: check, log, env: { GOBIN: bin }, timeoutMs: INSTALL_MS });
  await go(["install", `helm.sh/helm/v3/cmd/helm@v${VERSION}`]);
  const source = path.join(import.meta.dirname, "helm", "check-manifests.go");
  copyFileSync(source, path.join(check, "main.go"));
  await go(["mod", "init", "check-manifests"]);
  await go(["get", `k8s.io/api@${KUBERNETES}`, "sigs.k8s.io/yaml@v1.5.0"]);
  await go(["mod", "tidy"]);
  await go(["install", "."]);
}

function faultsOf(rendering: Rendering, bin: string): string[] {
  const { values, file = "", kinds, holds = [], lacks = [], refusal } = rendering;
  const settings = values.flatMap((value) => ["--set", value]);
  const words = ["template", "demo", CHART, "--namespace", "load", "--values", "-", ...settings];
  const { status, stdout, stderr } = run(path.join(bin, "helm"), words, file);
  if (refusal !== undefined) {
    const isRefused = status !== 0 && stderr.includes(refusal);
    return isRefused ? [] : [`expected the error "${refusal}", got ${stderr}`];
  }
  if (status !== 0) return [stderr];
  const manifests = parseAllDocuments(stdout).map(
    (document) => document.toJS() as { readonly kind: string },
  );
  const check = run(path.join(bin, "check-manifests"), [], stdout);
  const text = JSON.stringify(manifests);
  const got = manifests.map(({ kind }) => kind);
  return [
    ...(kinds === undefined || got.join() === kinds.join()
      ? []
      : [`expected ${kinds.join()}, got ${got.join()}`]),
    ...(check.status === 0 ? [] : [check.stderr]),
    ...holds.filter((each) => !text.includes(each)).map((each) => `without ${each}`),
    ...lacks.filter((each) => text.includes(each)).map((each) => `with ${each}`),
  ];
}

function run(command: string, words: readonly string[], input = "") {
  return spawnSync(command, words, { encoding: "utf8", input });
}

process.exitCode = await main();
