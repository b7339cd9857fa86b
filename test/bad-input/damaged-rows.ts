/** Results of twelve formats whose failed requests are slow, and damage to the rows of just these. */

import { seededRandom } from "../../bench/seeded-random.ts";

interface Row {
  readonly millis: number;
  readonly elapsedMillis: number;
  readonly hasFailed: boolean;
}

interface DamagedFormat {
  readonly name: string;
  readonly head: string;
  /** Without its line end. */
  readonly line: (row: Row) => string;
  readonly tail?: string;
}

const ROWS = 200;
/** One in this many is slow and failed. */
const FAILED_EVERY = 20;

function statusOf({ hasFailed }: Row): number {
  return hasFailed ? 503 : 200;
}

const NANOS = "000000";

export const FORMATS_DAMAGED: readonly DamagedFormat[] = [
  {
    name: "jmeter-csv",
    head: "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes\n",
    line: (row) =>
      `${row.millis},${row.elapsedMillis},GET /cart,${statusOf(row)},some text,users 1-1,${!row.hasFailed},512`,
  },
  {
    name: "taurus-csv",
    head: "timeStamp,elapsed,Latency,label,responseCode,responseMessage,success,allThreads,bytes\n",
    line: (row) =>
      `${row.millis},${row.elapsedMillis},0,GET /cart,${statusOf(row)},some text,${!row.hasFailed},1,512`,
  },
  {
    name: "jmeter-xml",
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n',
    line: (row) =>
      `<httpSample t="${row.elapsedMillis}" ts="${row.millis}" s="${!row.hasFailed}" lb="GET /cart" rc="${statusOf(row)}" rm="some text" by="512"/>`,
    tail: "</testResults>\n",
  },
  {
    name: "k6-csv",
    head: "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata\n",
    line: (row) => {
      const second = Math.floor(row.millis / 1000);
      const tags = `,,,,${!row.hasFailed},,GET,http://shop/cart,HTTP/1.1,default,,${statusOf(row)},,,http://shop/cart,,`;
      return [
        `http_reqs,${second},1.000000${tags}`,
        `http_req_duration,${second},${row.elapsedMillis}.000000${tags}`,
        `http_req_failed,${second},${row.hasFailed ? 1 : 0}.000000${tags}`,
      ].join("\n");
    },
  },
  {
    name: "k6-json",
    head: '{"type":"Metric","data":{"name":"http_req_duration","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"http_req_duration"}\n',
    line: (row) => {
      const time = new Date(row.millis + row.elapsedMillis).toISOString();
      const tags = `{"expected_response":"${!row.hasFailed}","group":"","method":"GET","name":"http://shop/cart","proto":"HTTP/1.1","scenario":"default","status":"${statusOf(row)}","url":"http://shop/cart"}`;
      const point = (metric: string, value: number): string =>
        `{"metric":"${metric}","type":"Point","data":{"time":"${time}","value":${value},"tags":${tags}}}`;
      return [
        point("http_reqs", 1),
        point("http_req_duration", row.elapsedMillis),
        point("http_req_failed", row.hasFailed ? 1 : 0),
      ].join("\n");
    },
  },
  {
    name: "gatling-text",
    head: "RUN\tShop\tshop\t1700000000000\t \t3.12.0\n",
    line: (row) =>
      `REQUEST\t\tGET /cart\t${row.millis}\t${row.millis + row.elapsedMillis}\t${row.hasFailed ? "KO" : "OK"}\t${row.hasFailed ? "some text" : " "}`,
  },
  {
    name: "locust-requests",
    head: "timestamp,request_type,name,response_time_ms,response_length,status_code,exception\n",
    line: (row) =>
      `${row.millis / 1000 + 0.0001},GET,/cart,${row.elapsedMillis}.5,512,${statusOf(row)},${row.hasFailed ? "some text" : ""}`,
  },
  {
    name: "vegeta-csv",
    head: "",
    line: (row) =>
      `${row.millis}${NANOS},${statusOf(row)},${row.elapsedMillis}${NANOS},0,512,${row.hasFailed ? "some text" : ""},,attack,0,GET,http://shop/cart,`,
  },
  {
    name: "vegeta-json",
    head: "",
    line: (row) =>
      `{"attack":"attack","seq":0,"code":${statusOf(row)},"timestamp":"${new Date(row.millis).toISOString()}","latency":${row.elapsedMillis}${NANOS},"bytes_out":0,"bytes_in":512,"error":"${row.hasFailed ? "some text" : ""}","body":null,"method":"GET","url":"http://shop/cart","headers":null}`,
  },
  {
    name: "phout",
    head: "",
    line: (row) =>
      `${(row.millis / 1000).toFixed(3)}\tcart\t${row.elapsedMillis}000\t208\t12\t521\t56\t670\t31\t512\t0\t${statusOf(row)}`,
  },
  {
    name: "tachograph-csv",
    head: "timestamp,label,elapsedMs,success,receivedBytes,code,message\n",
    line: (row) =>
      `${row.millis},GET /cart,${row.elapsedMillis},${!row.hasFailed},512,${statusOf(row)},some text`,
  },
  {
    name: "tachograph-ndjson",
    head: "",
    line: (row) =>
      `{"timestamp":${row.millis},"label":"GET /cart","elapsedMs":${row.elapsedMillis},"success":${!row.hasFailed},"receivedBytes":512,"code":"${statusOf(row)}","message":"some text"}`,
  },
];

type Random = () => number;

/** Changes the bytes of one row, which are those of its characters. */
type Damage = (line: string, random: Random) => string;

/** Within a line: nobody can see that a whole one of the three of k6 was taken out. */
function at(line: string, random: Random): number {
  const place = 1 + Math.floor(random() * (line.length - 2));
  return line.slice(place - 1, place + 1).includes("\n") ? place + 2 : place;
}

/** The response time, which is the only number with these digits, or the end of Gatling's requests. */
const SLOW = /5017\d*|\d{13}(?=\tKO)/g;

const replacing =
  (by: string): Damage =>
  (line) =>
    line.replaceAll(SLOW, by);

const inserting =
  (text: string): Damage =>
  (line, random) => {
    const place = at(line, random);
    return line.slice(0, place) + text + line.slice(place);
  };

const overwriting =
  (character: string): Damage =>
  (line, random) => {
    const place = at(line, random);
    return line.slice(0, place) + character.repeat(line.length - place);
  };

const inText =
  (text: string): Damage =>
  (line) =>
    line.replaceAll("cart", `ca${text}rt`);

const START = /\b17000\d+|2023-11-14T[\d:.]+Z/g;

const OUTCOME = /\b(503|false|KO)\b/g;

/** Each leaves a trace: nobody can see that a row was taken out, or that a digit is another one. */
export const DAMAGES: Readonly<Record<string, Damage>> = {
  "a time that is no number": replacing("NaN"),
  "a negative time": replacing("-5017"),
  "no time": replacing(""),
  "a blank for a time": replacing(" "),
  "a time in words": replacing("slow"),
  "a time with a sign of its own": replacing("+-5"),
  "a time beyond all numbers": replacing("5017000000000000000000000000000"),
  "a time with an exponent": replacing("5e999"),
  "a time with a decimal comma": replacing('"5,017"'),
  "no start": (line) => line.replaceAll(START, ""),
  "a start that is no time": (line) => line.replaceAll(START, "yesterday"),
  "a start in the year 9999": (line) => line.replaceAll(START, "253370764800000"),
  "a start before 1970": (line) => line.replaceAll(START, "-17000"),
  "an outcome that is none": (line) => line.replaceAll(OUTCOME, "maybe"),
  "no outcome": (line) => line.replaceAll(OUTCOME, ""),
  "a separator too many": inserting(","),
  "a tab too many": inserting("\t"),
  "a field too many at the end": (line) => `${line},5`,
  // What is cut later may be a whole row: Locust's request log ends with an exception, which is empty if there was none.
  "a row cut in its middle": (line, random) =>
    line.slice(0, at(line.slice(0, 0.75 * line.length), random)),
  "a row without its beginning": (line, random) => line.slice(at(line, random)),
  "a line break inside": inserting("\n"),
  "a carriage return inside": inserting("\r"),
  "a quote inside": inserting('"'),
  "a zero byte inside": inserting("\0"),
  "a message of another program inside": inserting("WARN connection reset\n"),
  "zeros to its end": overwriting("\0"),
  "blanks to its end": overwriting(" "),
  "noise to its end": (line, random) => {
    const noise = () => String.fromCodePoint(0x80 + Math.floor(random() * 0x7f));
    return line.slice(0, at(line, random)) + Array.from({ length: 30 }, noise).join("");
  },
  "a name of 5,000 characters": inText("x".repeat(5000)),
  "a name in another encoding": inText("\u00e9\u00fc"),
};

interface DamagedFile {
  readonly whole: Uint8Array;
  readonly damaged: Uint8Array;
  readonly rows: number;
}

/** Damages some of the failed rows, maybe all. */
export function damagedFile(format: DamagedFormat, damage: Damage, seed: number): DamagedFile {
  const random = seededRandom(seed);
  const share = random();
  let rows = 0;
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const hasFailed = index % FAILED_EVERY === 7;
    const line = format.line({
      millis: 1_700_000_000_000 + index * 250,
      elapsedMillis: hasFailed ? 5017 : 100,
      hasFailed,
    });
    const isDamaged = hasFailed && random() < share;
    if (isDamaged) rows += 1;
    return [line, isDamaged ? damage(line, random) : line] as const;
  });
  const file = (which: 0 | 1): Uint8Array => {
    const body = lines.map((line) => `${line[which]}\n`).join("");
    // One byte for each character: damage is to bytes.
    return Buffer.from(`${format.head}${body}${format.tail ?? ""}`, "latin1");
  };
  return { whole: file(0), damaged: file(1), rows };
}
