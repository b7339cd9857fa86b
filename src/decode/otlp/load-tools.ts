/** Names of services that are load tools: only what they measure is a request of the load test. */
const LOAD_TOOLS: ReadonlySet<string> = new Set([
  "artillery",
  "gatling",
  "jmeter",
  "k6",
  "load-generator",
  "locust",
  "nbomber",
]);

/** Scopes whose name identifies the load tool, whatever the service is called. */
const SCOPES = /^(?:locust$|k6$|artillery[-.])/i;

/** Whether what a service sends under an instrumentation scope was measured by a load tool. */
export function isLoadTool(service: string, scope: string): boolean {
  return LOAD_TOOLS.has(service.toLowerCase()) || SCOPES.test(scope);
}
