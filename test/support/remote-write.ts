/** Bodies of Prometheus' remote write, by the definitions in its repository (prompb/remote.proto, prompb/io/prometheus/write/v2). */

export interface Written {
  /** With `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly samples?: readonly (readonly [unixMillis: number, value: number])[];
  /** Encoded messages. */
  readonly histograms?: readonly Uint8Array[];
  /** Only in version 2.0. */
  readonly type?: number;
}

/** A `prometheus.WriteRequest`, compressed. */
export function writeRequest(...series: readonly Written[]): Buffer {
  return snappyBlock(
    message(
      ...series.map(({ labels, samples = [], histograms = [] }) =>
        bytes(
          1,
          message(
            ...Object.entries(labels).map(([name, value]) =>
              bytes(1, message(bytes(1, name), bytes(2, value))),
            ),
            ...samples.map((sample) => bytes(2, sampleOf(sample))),
            ...histograms.map((histogram) => bytes(4, histogram)),
          ),
        ),
      ),
    ),
  );
}

/** An `io.prometheus.write.v2.Request`, compressed. */
export function writeRequest2(...series: readonly Written[]): Buffer {
  const symbols = ["", ...new Set(series.flatMap(({ labels }) => Object.entries(labels).flat()))];
  const ref = (text: string): number => symbols.indexOf(text);
  return snappyBlock(
    message(
      ...symbols.map((text) => bytes(4, text)),
      ...series.map(({ labels, samples = [], histograms = [], type }) =>
        bytes(
          5,
          message(
            bytes(
              1,
              message(
                ...Object.entries(labels)
                  .flat()
                  .map((text) => varint(ref(text))),
              ),
            ),
            ...samples.map((sample) => bytes(2, sampleOf(sample))),
            ...histograms.map((histogram) => bytes(3, histogram)),
            ...(type === undefined ? [] : [bytes(5, number(1, type))]),
          ),
        ),
      ),
    ),
  );
}

function sampleOf([unixMillis, value]: readonly [number, number]): Uint8Array {
  return message(double(1, value), number(2, unixMillis));
}

export function message(...fields: readonly Uint8Array[]): Buffer {
  return Buffer.concat(fields);
}

export function bytes(field: number, contents: Uint8Array | string): Buffer {
  const given = Buffer.from(contents);
  return Buffer.concat([varint(8 * field + 2), varint(given.length), given]);
}

export function double(field: number, value: number): Buffer {
  const given = Buffer.alloc(8);
  given.writeDoubleLE(value);
  return Buffer.concat([varint(8 * field + 1), given]);
}

export function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(8 * field), varint(value)]);
}

export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function varint(value: number): Buffer {
  const digits: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) digits.push((rest % 0x80) + 0x80);
  return Buffer.from([...digits, rest]);
}

/** Without compression: literals of up to 2^16 bytes (google/snappy, format_description.txt). */
export function snappyBlock(plain: Uint8Array): Buffer {
  const parts: Uint8Array[] = [varint(plain.length)];
  for (let at = 0; at < plain.length; at += 2 ** 16) {
    const literal = plain.subarray(at, at + 2 ** 16);
    const length = Buffer.alloc(2);
    length.writeUInt16LE(literal.length - 1);
    parts.push(Buffer.from([61 << 2]), length, literal);
  }
  return Buffer.concat(parts);
}
