import { UserError } from "../model/errors.ts";
import type { Rejection } from "../model/import-report.ts";
import type { Role } from "../model/role.ts";
import type { SampleSink } from "./decoder.ts";
import { isFieldElement, type JmeterXmlSamples, type OpenFailure } from "./jmeter-xml-samples.ts";
import { quoted } from "./quoted.ts";
import type { XmlReader, XmlToken } from "./xml-reader.ts";

/** Elements may be nested this deep; JMeter itself stops at 10 levels of sub-results. */
const DEPTH_MAX = 64;
/** What is kept of the text of one element: far more than the longest label. */
const TEXT_BYTES_MAX = 64 * 1024;

const ROOT = "testResults";
const SAMPLE_NAMES = ["httpSample", "sample"];
/** Where samples of plug-ins stand: elsewhere, an element named after a class is something else. */
const SAMPLE_PARENTS = [ROOT, ...SAMPLE_NAMES, "subResults"];

/** The message of a failed assertion stands in `<assertionResult>` of its sample. */
const ASSERTION = "assertionResult";
const ASSERTION_MESSAGE = "failureMessage";

const BLANK = 0x20;
const SLASH = 0x2f;

/** A sample that is written in child elements: it is complete when it ends. */
interface OpenSample {
  readonly line: number;
  readonly byte: number;
  readonly texts: Map<string, Buffer>;
}

interface OpenElement {
  readonly name: string;
  /** Of a sample that has failed: told when the element ends, because its assertions are inside. */
  failure: OpenFailure | undefined;
  readonly sample: OpenSample | undefined;
  /** Of a sample: what it is, as far as its tag tells. */
  readonly role: Role | undefined;
  /** Text of a field of the sample around it, as written. */
  readonly text: Buffer[] | undefined;
}

const NO_SAMPLE = { sample: undefined, failure: undefined, role: undefined };

/** Follows the elements of JMeter XML and finds the samples among them, at any depth. */
export class JmeterXmlElements {
  readonly #reader: XmlReader;
  readonly #samples: JmeterXmlSamples;
  readonly #sink: SampleSink;
  readonly #open: OpenElement[] = [];
  #sawRoot = false;
  #unclosedRoots = 0;

  constructor(reader: XmlReader, samples: JmeterXmlSamples, sink: SampleSink) {
    this.#reader = reader;
    this.#samples = samples;
    this.#sink = sink;
  }

  /** Takes the reader's token. Throws `unreadable-source` where this is not JMeter XML. */
  take(token: XmlToken): void {
    const { bytes, from, to } = this.#reader;
    if (token === "text" || token === "literal") {
      this.#takeText(token);
    } else if (token === "end") {
      this.#takeEnd(nameOf(bytes, from, to));
    } else if (token === "start") {
      this.#takeStart(nameOf(bytes, from, to));
    } else {
      this.#takeUnreadable(token, nameOf(bytes, from, to));
    }
  }

  /** Where the source was cut, if so. */
  end(): Rejection | undefined {
    const { line, byte, inside } = this.#reader.end();
    if (inside !== undefined) return { line, byte, reason: `the source ends inside a ${inside}` };
    const sample = this.#open.find((element) => element.sample !== undefined);
    if (sample?.sample !== undefined) {
      const { line: sampleLine, byte: sampleByte } = sample.sample;
      return {
        line: sampleLine,
        byte: sampleByte,
        reason: `the source ends inside <${sample.name}>`,
      };
    }
    if (this.#open.length === 0) return undefined;
    return { line, byte, reason: `the source ends without </${ROOT}>` };
  }

  /** What a reader of the numbers should know. */
  notes(): string[] {
    if (this.#unclosedRoots === 0) return [];
    return [`<${ROOT}> began again before it was closed: ${this.#unclosedRoots}`];
  }

  #takeStart(name: string): void {
    if (name === ROOT) this.#beginDocument();
    this.#requireRoot();
    const parent = this.#open.at(-1);
    const found = this.#takeSample(name, parent);
    const holdsText =
      (parent?.sample !== undefined && isFieldElement(name)) ||
      (parent?.name === ASSERTION && name === ASSERTION_MESSAGE);
    this.#push({ name, ...found, text: holdsText ? [] : undefined });
    if (this.#reader.isEmpty) this.#pop();
  }

  /** Records the sample that the start tag is; returns what goes on in child elements. */
  #takeSample(
    name: string,
    parent: OpenElement | undefined,
  ): Pick<OpenElement, "sample" | "failure" | "role"> {
    if (this.#isSampleTag(name)) {
      const reason = this.#samples.recordTag(this.#roleAround());
      this.#reject(reason);
      if (reason !== undefined) return NO_SAMPLE;
      return { ...NO_SAMPLE, failure: this.#samples.failureOfTag(), role: this.#samples.role };
    }
    if (isClassName(name) && isSampleParent(parent)) {
      const sample = { ...this.#reader.place(), texts: new Map() };
      return { ...NO_SAMPLE, sample, role: "request" };
    }
    if (name !== ROOT && isOnTop(parent)) {
      const wanted = `${SAMPLE_NAMES.join(", ")} or the name of a class`;
      this.#reject(`cannot read the element as a sample: got ${quoted(name)}, want ${wanted}`);
    }
    return NO_SAMPLE;
  }

  /** What the sample is that is open. */
  #roleAround(): Role | undefined {
    return this.#open.findLast(({ role }) => role !== undefined)?.role;
  }

  #isSampleTag(name: string): boolean {
    const { bytes, from, to } = this.#reader;
    return this.#samples.readTag(bytes, from, to) || SAMPLE_NAMES.includes(name);
  }

  #takeEnd(name: string): void {
    const index = this.#open.findLastIndex((element) => element.name === name);
    if (index < 0) return;
    // Whatever was not closed inside it ends with it.
    while (this.#open.length > index) this.#pop();
  }

  /** A tag that is not whole, or too long. */
  #takeUnreadable(token: "broken" | "long", name: string): void {
    this.#requireRoot();
    if (token === "long") {
      this.#reject("the tag is too long: want at most 1 MiB");
      if (!this.#reader.isEmpty) this.#push({ name, ...NO_SAMPLE, text: undefined });
    } else if (this.#isSampleTag(name)) {
      this.#reject("the tag is broken off by another one");
    }
  }

  #takeText(token: "text" | "literal"): void {
    const { bytes, from, to } = this.#reader;
    const text = this.#open.at(-1)?.text;
    if (text !== undefined) {
      const kept = text.reduce((sum, { length }) => sum + length, 0);
      const piece = bytes.subarray(from, Math.min(to, from + TEXT_BYTES_MAX - kept));
      text.push(token === "text" ? Buffer.from(piece) : withReferences(piece));
    } else if (!this.#sawRoot) {
      for (let at = from; at < to; at++) if ((bytes[at] as number) > BLANK) this.#requireRoot();
    }
  }

  #beginDocument(): void {
    if (this.#open.length > 0) this.#unclosedRoots += 1;
    while (this.#open.length > 0) this.#pop();
    this.#sawRoot = true;
  }

  #requireRoot(): void {
    if (this.#sawRoot) return;
    throw new UserError(
      "unreadable-source",
      `cannot read this as JMeter XML: it does not begin with <${ROOT}>`,
    );
  }

  #push(element: OpenElement): void {
    this.#open.push(element);
    if (this.#open.length > DEPTH_MAX) {
      throw new UserError(
        "unreadable-source",
        `cannot read this as JMeter XML: elements are nested more than ${DEPTH_MAX} deep (line ${this.#reader.place().line})`,
      );
    }
  }

  #pop(): void {
    const element = this.#open.pop();
    const parent = this.#open.at(-1);
    if (element?.failure !== undefined) this.#samples.tellFailure(element.failure);
    if (element?.name === ASSERTION_MESSAGE) this.#keepAssertion(element);
    if (element?.text !== undefined && parent?.sample?.texts.has(element.name) === false) {
      parent.sample.texts.set(element.name, Buffer.concat(element.text));
    }
    if (element?.sample !== undefined) this.#endSample(element.sample, parent);
  }

  /** Records a sample that is written in elements, which are all known now. */
  #endSample({ line, byte, texts }: OpenSample, parent: OpenElement | undefined): void {
    // Inside of a sample, an element without any field of a sample is something else.
    if (texts.size === 0 && !isOnTop(parent)) return;
    const reason = this.#samples.recordElements(texts, this.#roleAround());
    if (reason !== undefined) this.#sink.reject({ line, byte, reason });
  }

  /** The first message that an assertion of a failed sample gives is the one that counts. */
  #keepAssertion({ text }: OpenElement): void {
    const sample = this.#open.at(-2);
    if (text === undefined || sample?.failure?.failureMessage !== "") return;
    const failureMessage = this.#samples.textOf(Buffer.concat(text));
    sample.failure = { ...sample.failure, failureMessage };
  }

  #reject(reason: string | undefined): void {
    if (reason !== undefined) this.#sink.reject({ ...this.#reader.place(), reason });
  }
}

/** The name that the tag at `[from, to)` begins with. */
function nameOf(bytes: Buffer, from: number, to: number): string {
  let end = from;
  while (end < to && (bytes[end] as number) > BLANK && bytes[end] !== SLASH) end++;
  return bytes.toString("utf8", from, end);
}

function isClassName(name: string): boolean {
  return name.includes(".") && !name.startsWith("java.");
}

function isSampleParent(parent: OpenElement | undefined): boolean {
  return (
    parent === undefined || parent.sample !== undefined || SAMPLE_PARENTS.includes(parent.name)
  );
}

function isOnTop(parent: OpenElement | undefined): boolean {
  return parent === undefined || parent.name === ROOT;
}

/** The text of a CDATA section as it would be written without one. */
function withReferences(literal: Buffer): Buffer {
  return Buffer.from(literal.toString("latin1").replaceAll("&", "&amp;"), "latin1");
}
