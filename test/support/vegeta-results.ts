/** Writes results as Vegeta encodes them: gob as Go's encoder writes it, CSV and JSON. */

/** One result, with Vegeta's fields. */
export interface VegetaRecord {
  readonly attack: string;
  readonly seq: number;
  readonly code: number;
  readonly startedAtMs: number;
  readonly latencyNanos: number;
  readonly bytesIn: number;
  readonly error: string;
  readonly body: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

const [UNSIGNED, SIGNED, BYTES, TEXT] = [3, 2, 5, 6];
const [RESULT, TIME, HEADER, VALUES] = [64, 65, 66, 67];

const FIELDS: readonly (readonly [name: string, type: number])[] = [
  ["Attack", TEXT],
  ["Seq", UNSIGNED],
  ["Code", UNSIGNED],
  ["Timestamp", TIME],
  ["Latency", SIGNED],
  ["BytesOut", UNSIGNED],
  ["BytesIn", UNSIGNED],
  ["Error", TEXT],
  ["Body", BYTES],
  ["Method", TEXT],
  ["URL", TEXT],
  ["Headers", HEADER],
];

/** A stream of results: the type definitions, then the results. */
export function gobOf(records: readonly VegetaRecord[]): Buffer {
  const fields = FIELDS.flatMap(([name, type]) => [
    ...delta(1),
    ...text(name),
    ...delta(1),
    ...signed(type),
    0,
  ]);
  const definitions = [
    definition(RESULT, 3, "Result", [...delta(1), ...unsigned(FIELDS.length), ...fields]),
    definition(TIME, 5, "Time", []),
    definition(HEADER, 4, "Header", [...delta(1), ...signed(TEXT), ...delta(1), ...signed(VALUES)]),
    definition(VALUES, 2, "", [...delta(1), ...signed(TEXT)]),
  ];
  return Buffer.concat([...definitions, ...records.map(gobResult)]);
}

function gobResult(record: VegetaRecord): Buffer {
  const { attack, seq, code, latencyNanos, bytesIn, error, body, method, url, headers } = record;
  const values = [
    attack === "" ? undefined : text(attack),
    seq === 0 ? undefined : unsigned(seq),
    code === 0 ? undefined : unsigned(code),
    time(record.startedAtMs),
    latencyNanos === 0 ? undefined : signed(latencyNanos),
    undefined,
    bytesIn === 0 ? undefined : unsigned(bytesIn),
    error === "" ? undefined : text(error),
    body === "" ? undefined : text(body),
    method === "" ? undefined : text(method),
    url === "" ? undefined : text(url),
    Object.keys(headers).length === 0 ? undefined : headerMap(headers),
  ];
  return message([...signed(RESULT), ...struct(values)]);
}

/** A struct has only its non-zero fields, each preceded by its distance from the previous one. */
function struct(values: readonly (readonly number[] | undefined)[]): number[] {
  let last = -1;
  const written = values.flatMap((value, index) => {
    if (value === undefined) return [];
    const distance = index - last;
    last = index;
    return [...delta(distance), ...value];
  });
  return [...written, 0];
}

function definition(id: number, kind: number, name: string, detail: readonly number[]): Buffer {
  const common = [
    ...(name === "" ? [] : [...delta(1), ...text(name)]),
    ...delta(name === "" ? 2 : 1),
    ...signed(id),
    0,
  ];
  return message([...signed(-id), ...delta(kind), ...delta(1), ...common, ...detail, 0, 0]);
}

function headerMap(headers: VegetaRecord["headers"]): number[] {
  const entries = Object.entries(headers);
  return [
    ...unsigned(entries.length),
    ...entries.flatMap(([name, values]) => [
      ...text(name),
      ...unsigned(values.length),
      ...values.flatMap(text),
    ]),
  ];
}

/** Version 1, seconds since the year 1, nanoseconds, no time zone. */
function time(ms: number): number[] {
  const bytes = Buffer.alloc(15);
  bytes[0] = 1;
  bytes.writeBigInt64BE(BigInt(Math.floor(ms / 1000)) + 62_135_596_800n, 1);
  bytes.writeInt32BE((ms % 1000) * 1_000_000, 9);
  bytes.writeInt16BE(-1, 13);
  return [...unsigned(bytes.length), ...bytes];
}

function message(contents: readonly number[]): Buffer {
  return Buffer.from([...unsigned(contents.length), ...contents]);
}

function delta(distance: number): number[] {
  return unsigned(distance);
}

function text(value: string): number[] {
  const bytes = Buffer.from(value);
  return [...unsigned(bytes.length), ...bytes];
}

function signed(value: number): number[] {
  const whole = BigInt(value);
  return big(whole < 0n ? ((-whole - 1n) << 1n) | 1n : whole << 1n);
}

function unsigned(value: number): number[] {
  return big(BigInt(value));
}

function big(value: bigint): number[] {
  if (value < 128n) return [Number(value)];
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return [256 - bytes.length, ...bytes];
}

/** The rows of the newest version. */
export function csvOf(records: readonly VegetaRecord[]): string {
  return records
    .map((record) => {
      const fields = [
        `${record.startedAtMs}000000`,
        record.code,
        record.latencyNanos,
        0,
        record.bytesIn,
        quotedField(record.error),
        Buffer.from(record.body).toString("base64"),
        quotedField(record.attack),
        record.seq,
        record.method,
        quotedField(record.url),
        "",
      ];
      return `${fields.join(",")}\n`;
    })
    .join("");
}

function quotedField(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** One JSON object per line. */
export function jsonOf(records: readonly VegetaRecord[]): string {
  return records
    .map(({ attack, seq, code, startedAtMs, latencyNanos, bytesIn, error, body, ...rest }) => {
      const timestamp = new Date(startedAtMs).toISOString();
      const sizes = { latency: latencyNanos, bytes_out: 0, bytes_in: bytesIn };
      const encoded = body === "" ? null : Buffer.from(body).toString("base64");
      return `${JSON.stringify({ attack, seq, code, timestamp, ...sizes, error, body: encoded, ...rest })}\n`;
    })
    .join("");
}
