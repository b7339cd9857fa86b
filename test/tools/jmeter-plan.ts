/** A test plan for JMeter: users who browse, and one request for every kind of failure. */

interface PlanSettings {
  readonly port: number;
  /** Where JMeter's two listeners send their data. */
  readonly listeners: readonly PlanListener[];
  readonly seconds: number;
  /** File for the samples in XML, in addition to the one on the command line. */
  readonly xmlFile?: string;
  /** Only requests that are answered. @default false */
  readonly isPlain?: boolean;
}

/** Thread groups, as the plan writes them: their samplers are the same. */
const GROUPS = ["Users", "Users &amp; 2, mobile"];
/** Users of the plan; all are active from the third second on. */
export const PLAN_USERS = 6;

/** Label of the transaction; JMeter does not list its failures as errors. */
export const TRANSACTION = "Checkout, flow";

/** The plan in JMeter's format. */
export function planOf({
  port,
  seconds,
  xmlFile,
  listeners,
  isPlain = false,
}: PlanSettings): string {
  const failing = isPlain ? [] : failingSamplers(port);
  const body = [timer(), sampler("Home page", "/", { port }), ...failing];
  const groups = GROUPS.flatMap((name) => [threadGroup(name, seconds), tree(body)]);
  // Of both groups.
  const ends = [
    ...(xmlFile === undefined ? [] : [xmlListener(xmlFile)]),
    ...listeners.map(backendListener),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">',
    tree([element("TestPlan", "Shop", []), tree([...groups, ...ends])]),
    "</jmeterTestPlan>",
  ].join("\n");
}

/** A transaction, and a request for each kind of failure. */
function failingSamplers(port: number): readonly string[] {
  return [
    element("TransactionController", TRANSACTION, [
      '<boolProp name="TransactionController.parent">false</boolProp>',
      '<boolProp name="TransactionController.includeTimers">false</boolProp>',
    ]),
    tree([
      sampler("商品列表", "/products", { port }),
      sampler("Add to cart 🛒", "/cart", { port, method: "POST" }),
    ]),
    sampler("Old", "/old", { port }),
    sampler("missing", "/missing", { port }),
    sampler("reset", "/reset", { port }),
    sampler("timeout", "/slow", { port, timeoutMs: 300 }),
    sampler("body, &quot;quoted&quot;", "/", { port, wanted: "never" }),
  ];
}

function tree(children: readonly string[]): string {
  return `<hashTree>\n${children.join("\n")}\n</hashTree>`;
}

/** JMeter expects a tree, here empty, after each element. */
function leaf(child: string): string {
  return `${child}\n<hashTree/>`;
}

/** JMeter requires the class of an editor, but loads it only with a GUI. */
function element(kind: string, name: string, properties: readonly string[]): string {
  return `<${kind} guiclass="${kind}Gui" testclass="${kind}" testname="${name}">\n${properties.join("\n")}\n</${kind}>`;
}

function threadGroup(name: string, seconds: number): string {
  return element("ThreadGroup", name, [
    text("ThreadGroup.num_threads", PLAN_USERS / GROUPS.length),
    text("ThreadGroup.ramp_time", 2),
    text("ThreadGroup.duration", seconds),
    '<boolProp name="ThreadGroup.scheduler">true</boolProp>',
    text("ThreadGroup.on_sample_error", "continue"),
    '<elementProp name="ThreadGroup.main_controller" elementType="LoopController">',
    '<intProp name="LoopController.loops">-1</intProp>',
    '<boolProp name="LoopController.continue_forever">false</boolProp>',
    "</elementProp>",
  ]);
}

function timer(): string {
  const pause = [text("ConstantTimer.delay", 60), text("RandomTimer.range", 80)];
  return leaf(element("UniformRandomTimer", "Pause", pause));
}

interface Sampler {
  readonly port: number;
  /** @default "GET" */
  readonly method?: string;
  readonly timeoutMs?: number;
  /** Text expected in the body; it is missing. */
  readonly wanted?: string;
}

function sampler(
  name: string,
  path: string,
  { port, method = "GET", timeoutMs, wanted }: Sampler,
): string {
  const request = element("HTTPSamplerProxy", name, [
    '<elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>',
    text("HTTPSampler.domain", "127.0.0.1"),
    text("HTTPSampler.port", port),
    text("HTTPSampler.protocol", "http"),
    text("HTTPSampler.path", path),
    text("HTTPSampler.method", method),
    '<boolProp name="HTTPSampler.follow_redirects">true</boolProp>',
    '<boolProp name="HTTPSampler.use_keepalive">true</boolProp>',
    ...(timeoutMs === undefined ? [] : [text("HTTPSampler.response_timeout", timeoutMs)]),
  ]);
  return wanted === undefined ? leaf(request) : `${request}\n${tree([leaf(assertion(wanted))])}`;
}

/** 16: the body contains the literal text. */
function assertion(wanted: string): string {
  return element("ResponseAssertion", "Body", [
    `<collectionProp name="Asserion.test_strings"><stringProp name="1">${wanted}</stringProp></collectionProp>`,
    text("Assertion.test_field", "Assertion.response_data"),
    '<intProp name="Assertion.test_type">16</intProp>',
  ]);
}

function xmlListener(file: string): string {
  const saved = [
    "time",
    "latency",
    "timestamp",
    "success",
    "label",
    "code",
    "message",
    "threadName",
    "subresults",
    "assertions",
    "xml",
    "bytes",
    "threadCounts",
  ];
  const flags = saved.map((flag) => `<${flag}>true</${flag}>`).join("");
  return leaf(
    element("ResultCollector", "XML", [
      text("filename", file),
      `<objProp><name>saveConfig</name><value class="SampleSaveConfiguration">${flags}</value></objProp>`,
    ]),
  );
}

/** A Backend Listener. */
export interface PlanListener {
  readonly className: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const LISTENERS = "org.apache.jmeter.visualizers.backend.influxdb";

/** A listener of JMeter's own, which sends to an InfluxDB endpoint. */
export function influxListener(
  client: "InfluxdbBackendListenerClient" | "InfluxDBRawBackendListenerClient",
  { url, key }: { readonly url: string; readonly key: string },
): PlanListener {
  return {
    className: `${LISTENERS}.${client}`,
    parameters: {
      influxdbMetricsSender: `${LISTENERS}.HttpMetricsSender`,
      influxdbUrl: url.replaceAll("&", "&amp;"),
      influxdbToken: key,
      application: "shop, a=b",
      measurement: "jmeter",
      ...(client === "InfluxdbBackendListenerClient"
        ? { summaryOnly: "false", samplersRegex: ".*", percentiles: "50;90;95;99" }
        : {}),
    },
  };
}

function backendListener({ className, parameters }: PlanListener): string {
  const values = Object.entries(parameters).map(
    ([name, value]) =>
      `<elementProp name="${name}" elementType="Argument">${text("Argument.name", name)}${text("Argument.value", value)}${text("Argument.metadata", "=")}</elementProp>`,
  );
  return leaf(
    element("BackendListener", className, [
      `<elementProp name="arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">${values.join("")}</collectionProp></elementProp>`,
      text("classname", className),
    ]),
  );
}

function text(name: string, value: string | number): string {
  return `<stringProp name="${name}">${value}</stringProp>`;
}
