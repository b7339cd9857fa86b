export function isGatlingBinary(_text, plain) {
  return /^00000000(0[5-9a-f]|1[0-9a-f])332e/.test(
    Buffer.from(plain.subarray(0, 10)).toString("hex"),
  );
}

export function readGatlingBinary(_text, { plain }) {
  const reading = { format: "gatling-binary", samples: [], rejected: [], cut: false };
  reading.users = [];
  const log = new Log(Buffer.from(plain));
  try {
    const start = readRun(log);
    while (log.left > 0) readRecord(log, start, reading);
  } catch (error) {
    // Decided: nothing can be read behind a record that ends too early or makes no sense.
    if (!(error instanceof RangeError)) throw error;
    reading.cut = true;
  }
  return reading;
}

/** Takes fields from the front; reading beyond the end is Buffer's own RangeError. */
class Log {
  #bytes;
  #strings = new Map();

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get left() {
    return this.#bytes.length;
  }

  take(length) {
    if (length < 0 || length > this.#bytes.length) throw new RangeError("cut");
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  int8 = () => this.take(1)[0];
  int32 = () => this.take(4).readInt32BE();
  int64 = () => this.take(8).readBigInt64BE();
  bool = () => [false, true][this.int8()] ?? damaged("a truth value");

  string() {
    const length = this.int32();
    if (length === 0) return "";
    const bytes = this.take(length);
    const coders = [() => bytes.toString("latin1"), () => bytes.toString("utf16le")];
    return (coders[this.int8()] ?? damaged)();
  }

  cached() {
    const index = this.int32();
    if (index > 0) this.#strings.set(index, this.string());
    return this.#strings.get(Math.abs(index)) ?? damaged("a string");
  }

  list(each) {
    return Array.from({ length: this.int32() }, each);
  }
}

function damaged(what) {
  throw new RangeError(`damaged: ${what}`);
}

function readRun(log) {
  log.take(1);
  log.string();
  log.string();
  const start = log.int64();
  log.string();
  log.list(() => log.string());
  log.list(() => log.take(log.int32()));
  return start;
}

function readRecord(log, start, { samples, users, rejected }) {
  const at = () => start + BigInt(log.int32());
  const readers = {
    1() {
      const groups = log.list(() => log.cached());
      const label = [...groups, log.cached()].join(" / ").toWellFormed();
      const [from, until, passed, message] = [at(), at(), log.bool(), log.cached()];
      if (until < from) {
        rejected.push({ reason: "ends before it starts" });
        return;
      }
      const second = from / 1000n;
      const micros = (until - from) * 1000n;
      const sample = { label, second, micros, bytes: 0n, requests: 1n, failed: 0n };
      const kinds = [{ code: "", message, requests: 1n }];
      samples.push(passed ? sample : { ...sample, failed: 1n, kinds });
    },
    2() {
      log.int32();
      const started = log.bool();
      const second = at() / 1000n;
      users.push({ generator: "", second, started: started ? 1n : 0n, ended: started ? 0n : 1n });
    },
    3() {
      log.list(() => log.cached());
      log.take(12);
      log.bool();
    },
    4() {
      log.cached();
      log.int32();
    },
  };
  (readers[log.int8()] ?? damaged)();
}
