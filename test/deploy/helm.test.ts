import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const CHART = path.join(import.meta.dirname, "../../deploy/helm");

// `npm run task test:helm` renders the chart, which needs Helm.
test("pods of the chart get no variables of services: `tachograph` would set the port to tcp://…", () => {
  const text = readFileSync(path.join(CHART, "templates/statefulset.yaml"), "utf8");
  expect(text).toMatch(/^ {6}enableServiceLinks: false$/m);
});

test("probes and the service find the port that a setting gives the server", () => {
  const text = readFileSync(path.join(CHART, "templates/statefulset.yaml"), "utf8");
  expect(text).toContain("containerPort: {{ default 8013 .Values.env.TACHOGRAPH_PORT }}");
});
