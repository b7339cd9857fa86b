import type { OutputBuffer } from "./output-buffer.ts";
import type { EndpointMetrics } from "./renderer.ts";

/** Opens an item: hash, label, and everything up to the value of `data`. */
export function writeItemHead(endpoint: EndpointMetrics, output: OutputBuffer): void {
  output.ascii(`{"hash":"${endpoint.hash}","label":`);
  output.jsonString(endpoint.label);
  output.ascii(',"data":');
}
