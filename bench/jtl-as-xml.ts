/** About the rows of a JMeter CSV file (`make-jtl.ts`) as elements, those that fit on one line; `body`: response of each failure. */
export function* jtlAsXml(pieces: Iterable<string>, body = ""): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n';
  for (const piece of pieces) {
    const lines = piece.split("\n").map((line) => line.split(","));
    const whole = lines.filter((row) => row.length === 17 && row[0] !== "timeStamp");
    yield whole.map((row) => elementOf(row, body)).join("");
  }
  yield "</testResults>\n";
}

function elementOf(row: readonly string[], body: string): string {
  const [timeStamp, elapsed, label, code, message, thread, , success, , bytes] = row;
  const response =
    body === "" || success === "true"
      ? ""
      : `  <responseData class="java.lang.String">${body}</responseData>\n`;
  return `<httpSample t="${elapsed}" it="0" lt="${row[14]}" ct="${row[16]}" ts="${timeStamp}" s="${success}" lb="${label}" rc="${code}" rm="${message}" tn="${thread}" dt="text" by="${bytes}" sby="512" ng="${row[11]}" na="${row[12]}">
${response}  <java.net.URL>${row[13]?.replaceAll("&", "&amp;")}</java.net.URL>
</httpSample>
`;
}
