/** A test plan for JMeter: users who go through four endpoints with pauses. */

interface PlanSettings {
  readonly port: number;
  readonly users: number;
  readonly seconds: number;
}

export function planOf({ port, users, seconds }: PlanSettings): string {
  const requests = ["home", "search", "cart", "checkout"].flatMap((name) => [
    element("HTTPSamplerProxy", name, [
      '<elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>',
      text("HTTPSampler.domain", "127.0.0.1"),
      text("HTTPSampler.port", port),
      text("HTTPSampler.path", `/${name}`),
      text("HTTPSampler.method", "GET"),
      text("HTTPSampler.response_timeout", 10_000),
      '<boolProp name="HTTPSampler.use_keepalive">true</boolProp>',
    ]),
    "<hashTree/>",
  ]);
  const pause = element("UniformRandomTimer", "Pause", [
    text("ConstantTimer.delay", 100),
    text("RandomTimer.range", 200),
  ]);
  const group = element("ThreadGroup", "Users", [
    text("ThreadGroup.num_threads", users),
    text("ThreadGroup.ramp_time", 1),
    text("ThreadGroup.duration", seconds),
    '<boolProp name="ThreadGroup.scheduler">true</boolProp>',
    text("ThreadGroup.on_sample_error", "continue"),
    '<elementProp name="ThreadGroup.main_controller" elementType="LoopController">',
    '<intProp name="LoopController.loops">-1</intProp>',
    "</elementProp>",
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
${element("TestPlan", "Shop", [])}<hashTree>
${group}<hashTree>
${[pause, "<hashTree/>", ...requests].join("\n")}
</hashTree></hashTree></hashTree></jmeterTestPlan>
`;
}

function element(kind: string, name: string, properties: readonly string[]): string {
  return `<${kind} guiclass="${kind}Gui" testclass="${kind}" testname="${name}">\n${properties.join("\n")}\n</${kind}>`;
}

function text(name: string, value: string | number): string {
  return `<stringProp name="${name}">${value}</stringProp>`;
}
