import { writeFileSync } from "node:fs";

export const STARTED_AT = 1_790_000_000;
export const SECONDS = 120;

/** Text that a page must not take for its own: it is shown as it is. */
export const HOSTILE = `<h1>busy</h1><script>alert(1)</script><a href="https://evil.example/">next</a>`;

/**
 * Results of JMeter with headers and bodies of failures: ten requests a second, each of 20 ms but one of 900 ms in second 40,
 * and in the seconds 60 to 69 a failure with `503 Busy`, whose page is `HOSTILE`, and one with `500 Broken`, whose page has 40
 * lines. Odd seconds are of another thread group.
 */
export function writeSampled(file: string): void {
  const rows: string[] = [];
  const add = (second: number, elapsedMs: number, [code, words]: Outcome, body = ""): void =>
    void rows.push(
      `<httpSample t="${elapsedMs}" lt="5" ct="2" ts="${(STARTED_AT + second) * 1000}" s="${code === "200"}" ` +
        `lb="GET /cart" rc="${code}" rm="${words}" tn="${second % 2 === 0 ? "Shop" : "Stock"} 1-3" by="120" sby="80" ng="1" na="1">` +
        `<method>GET</method><java.net.URL>https://shop.example/cart?item=${second}</java.net.URL>` +
        `<responseHeader>HTTP/1.1 ${code} ${words}&#xd;\nRetry-After: 3</responseHeader>` +
        `<responseData>${escaped(body)}</responseData></httpSample>`,
    );
  for (let second = 0; second < SECONDS; second++) {
    for (let each = 0; each < 10; each++) add(second, 20, PASSED);
    if (second === 40) add(second, 900, PASSED);
    if (second < 60 || second >= 70) continue;
    add(second, 30, ["503", "Busy"], HOSTILE);
    const lines = Array.from({ length: 40 }, (_, line) => `at shop.Cart.line${line}`);
    add(second, 40, ["500", "Broken"], lines.join("\n"));
  }
  writeFileSync(
    file,
    `<?xml version="1.0"?>\n<testResults version="1.2">\n${rows.join("\n")}\n</testResults>\n`,
  );
}

type Outcome = readonly [code: string, words: string];
const PASSED: Outcome = ["200", "OK"];

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
