import { UserError } from "../../model/errors.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { Role } from "../../model/role.ts";
import type { RequestDetails } from "../../model/samples/request-sample.ts";
import { BLANK, SLASH } from "../bytes/ascii.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { FacetedLabels } from "../labels/faceted-labels.ts";
import { LabelTable, labelNotes } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { SampleRows } from "../sample-rows.ts";
import { XmlReader, type XmlToken } from "../xml/xml-reader.ts";
import { JMETER_XML } from "./about.ts";
import {
  DETAIL_OF_ELEMENT,
  JmeterExtras,
  JmeterMonitors,
  isMonitorClass,
} from "./jmeter-extras.ts";
import { RoleTable } from "./jmeter-fields.ts";
import { JmeterKernel } from "./jmeter-kernel.ts";
import { JmeterFacets } from "./jmeter-label.ts";
import { JmeterMeasures } from "./jmeter-measures.ts";
import {
  JmeterXmlSamples,
  type OpenDetails,
  type OpenFailure,
  isFieldElement,
} from "./jmeter-xml-samples.ts";

/** The XML result files of JMeter: docs/internals/formats/jmeter.md. */
export const jmeterXml: Format = {
  ...JMETER_XML,
  recognises: isJmeterXml,
  open: (sink, options) => new JmeterXmlDecoder(sink, options),
};

const ROOT_TAG = /^<testResults[\s/>]/;
/** What may precede the first element, and its end. */
const PROLOGUE = [
  ["<?", "?>"],
  ["<!--", "-->"],
] as const;

class JmeterXmlDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #labels: LabelTable;
  readonly #facets: JmeterFacets;
  readonly #roles = new RoleTable();
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;
  /** For the sums of measures. */
  readonly #kernel = JmeterKernel.take();
  readonly #measures: JmeterMeasures;
  readonly #reader = new XmlReader();
  readonly #samples: JmeterXmlSamples;
  readonly #elements: JmeterXmlElements;

  constructor(sink: SampleSink, options: DecodeOptions) {
    const labels = new LabelTable(options.labels, { keepsPlaces: true });
    this.#labels = labels;
    this.labels = labels.texts;
    this.#facets = new JmeterFacets(new FacetedLabels(labels, options.facets), { isNested: true });
    this.#sink = sink;
    this.#rows = new SampleRows(sink);
    const timestamps = new TimestampReader(options.timeZone);
    const extras = new JmeterExtras(sink);
    this.failureKinds = extras.failureKinds;
    this.generators = extras.generators;
    const { labelTemplate } = options;
    this.#measures = new JmeterMeasures(sink.measures, this.#kernel);
    const kept = sink.samples;
    const facets = this.#facets;
    const read = { rows: this.#rows, labels, facets, timestamps, extras, labelTemplate, kept };
    const monitors = new JmeterMonitors(sink.measures);
    const targets = { ...read, measures: this.#measures, monitors };
    this.#samples = new JmeterXmlSamples(targets, this.#roles);
    this.#elements = new JmeterXmlElements(this.#reader, this.#samples, sink);
  }

  roleOf(label: number): Role {
    return this.#roles.roleOf(this.#facets.labels.labelOf(label));
  }

  push(bytes: Uint8Array): void {
    this.#reader.append(bytes);
    for (let token = this.#reader.next(); token !== undefined; token = this.#reader.next()) {
      this.#elements.take(token);
    }
  }

  flush(): void {
    this.#rows.flush();
    this.#measures.flush();
    if (this.#samples.hasSizes) this.#sink.confirmSizes();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#elements.end();
    this.flush();
    this.#kernel.giveBack();
    const notes = [this.#samples.notes(), this.#elements.notes(), labelNotes(this.#labels)];
    return { truncatedAt, notes: [...notes.flat(), ...this.#facets.labels.notes()] };
  }
}

function isJmeterXml(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  let rest = text.trimStart();
  for (let mark = prologueOf(rest); mark !== undefined; mark = prologueOf(rest)) {
    const end = rest.indexOf(mark[1], mark[0].length);
    if (end < 0) return false;
    rest = rest.slice(end + mark[1].length).trimStart();
  }
  // A DOCTYPE is recognised so that it can be refused by name.
  const isDeclared = rest.startsWith("<!DOCTYPE") && rest.includes("<testResults");
  return isDeclared || ROOT_TAG.test(rest);
}

function prologueOf(text: string): (typeof PROLOGUE)[number] | undefined {
  return PROLOGUE.find(([begins]) => text.startsWith(begins));
}

/** JMeter stops at 10 levels of sub-results. */
const DEPTH_MAX = 64;
const TEXT_BYTES_MAX = 64 * 1024;
const ROOT = "testResults";
const SAMPLE_NAMES = ["httpSample", "sample"];
/** Parents of plug-in samples: elsewhere, class names mean something else. */
const SAMPLE_PARENTS = [ROOT, ...SAMPLE_NAMES, "subResults"];

/** Holds the message of a failed assertion. */
const ASSERTION = "assertionResult";
const ASSERTION_MESSAGE = "failureMessage";
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A sample written as child elements; complete when it ends. */
interface OpenSample {
  readonly line: number;
  readonly byte: number;
  readonly texts: Map<string, Buffer>;
  readonly isMonitor: boolean;
}

interface ElementName {
  readonly text: string;
  readonly isRoot: boolean;
  readonly isSample: boolean;
  /** Whether it is a plug-in sample where samples may be. */
  readonly isClass: boolean;
  readonly isMonitor: boolean;
  readonly holdsSamples: boolean;
  readonly isField: boolean;
  readonly isAssertion: boolean;
  readonly isAssertionMessage: boolean;
  readonly detail: keyof RequestDetails | undefined;
}

class OpenElement {
  readonly name: ElementName;
  /** Text of a field of the parent sample, as written. */
  readonly text: Buffer[] | undefined;
  /** For a sample written as child elements. */
  sample: OpenSample | undefined = undefined;
  /** For a failed sample: recorded at its end, since assertions are inside. */
  failure: OpenFailure | undefined = undefined;
  /** For a sample that may be kept whole: added at its end. */
  details: OpenDetails | undefined = undefined;
  /** For a sample: its role as far as known. */
  role: Role | undefined = undefined;
  /** For a transaction: its label. */
  transaction: Uint8Array | undefined = undefined;

  constructor(name: ElementName, parent: OpenElement | undefined) {
    const isField = parent?.sample !== undefined && name.isField;
    const isMessage = parent?.name.isAssertion === true && name.isAssertionMessage;
    this.name = name;
    const isDetail = parent?.details !== undefined && name.detail !== undefined;
    this.text = isField || isMessage || isDetail ? [] : undefined;
  }
}

/** Finds samples among the elements, at any depth. */
class JmeterXmlElements {
  readonly #reader: XmlReader;
  readonly #samples: JmeterXmlSamples;
  readonly #sink: SampleSink;
  readonly #open: OpenElement[] = [];
  readonly #names = new BytesCache(elementName);
  #sawRoot = false;
  #unclosedRoots = 0;
  /** Whether the last token was text in place of samples. */
  #isInStrayText = false;

  constructor(reader: XmlReader, samples: JmeterXmlSamples, sink: SampleSink) {
    this.#reader = reader;
    this.#samples = samples;
    this.#sink = sink;
  }

  /** Throws `unreadable-source` if this is not JMeter XML. */
  take(token: XmlToken): void {
    if (token === "text" || token === "literal") return this.#takeText(token);
    this.#isInStrayText = false;
    if (token === "end") this.#takeEnd(this.#name());
    else if (token === "start") this.#takeStart(this.#name());
    else this.#takeUnreadable(token, this.#name());
  }

  /** Returns where the source is truncated. */
  end(): Rejection | undefined {
    const { line, byte, inside } = this.#reader.end();
    if (inside !== undefined) return { line, byte, reason: `the source ends inside a ${inside}` };
    const sample = this.#open.find((element) => element.sample !== undefined);
    if (sample?.sample !== undefined) {
      const reason = `the source ends inside <${sample.name.text}>`;
      return { line: sample.sample.line, byte: sample.sample.byte, reason };
    }
    if (this.#open.length === 0) return undefined;
    return { line, byte, reason: `the source ends without </${ROOT}>` };
  }

  notes(): string[] {
    if (this.#unclosedRoots === 0) return [];
    return [`<${ROOT}> began again before it was closed: ${this.#unclosedRoots}`];
  }

  #name(): ElementName {
    const { bytes, from, to } = this.#reader;
    return this.#names.at(bytes, from, nameEnd(bytes, from, to));
  }

  #takeStart(name: ElementName): void {
    if (name.isRoot) this.#beginDocument();
    this.#requireRoot();
    const parent = this.#open.at(-1);
    const element = new OpenElement(name, parent);
    this.#takeSample(element, parent);
    const saysNothing = element.text === undefined && element.role === undefined;
    if (saysNothing && this.#open.length < DEPTH_MAX && this.#reader.skipElement()) return;
    this.#push(element);
    if (this.#reader.isEmpty) this.#pop();
  }

  /** Records the sample of a start tag, or begins one with child elements. */
  #takeSample(element: OpenElement, parent: OpenElement | undefined): void {
    const { name } = element;
    if (this.#isSampleTag(name)) {
      this.#samples.transaction = this.#transactionAround();
      const reason = this.#samples.recordTag(this.#roleAround());
      this.#reject(reason);
      if (reason !== undefined) return;
      const { repairs } = this.#samples;
      if (!repairs.isEmpty) repairs.report(this.#sink, this.#reader.place());
      element.failure = this.#samples.failureOfTag();
      element.details = this.#samples.detailsOfTag(element.failure);
      element.role = this.#samples.role;
      if (element.role === "transaction") element.transaction = this.#samples.labelOfTag();
    } else if (name.isClass && (parent === undefined || mayHoldSamples(parent))) {
      const { isMonitor } = name;
      element.sample = { ...this.#reader.place(), texts: new Map(), isMonitor };
      element.role = "request";
    } else if (!name.isRoot && isOnTop(parent)) {
      const wanted = `${SAMPLE_NAMES.join(", ")} or the name of a class`;
      this.#reject(`cannot read the element as a sample: got ${quoted(name.text)}, want ${wanted}`);
    }
  }

  #roleAround(): Role | undefined {
    return this.#open.findLast(({ role }) => role !== undefined)?.role;
  }

  #transactionAround(): Uint8Array | undefined {
    return this.#open.findLast(({ transaction }) => transaction !== undefined)?.transaction;
  }

  #isSampleTag(name: ElementName): boolean {
    return this.#samples.readTag(this.#reader) || name.isSample;
  }

  #takeEnd({ text }: ElementName): void {
    if (this.#open.at(-1)?.name.text === text) return this.#pop();
    const index = this.#open.findLastIndex(({ name }) => name.text === text);
    if (index < 0) return;
    // Unclosed children end with their parent.
    while (this.#open.length > index) this.#pop();
  }

  #takeUnreadable(token: "broken" | "long", name: ElementName): void {
    this.#requireRoot();
    if (token === "long") {
      this.#reject("the tag is too long: want at most 1 MiB");
      if (!this.#reader.isEmpty) this.#push(new OpenElement(name, undefined));
    } else if (this.#isSampleTag(name) || (this.#isInRoot && name.text !== "")) {
      this.#reject("another tag or NUL bytes begin inside this one");
    }
  }

  get #isInRoot(): boolean {
    return this.#open.at(-1)?.name.isRoot === true;
  }

  #takeText(token: "text" | "literal"): void {
    const { bytes, from, to } = this.#reader;
    const text = this.#open.at(-1)?.text;
    if (text !== undefined) {
      const kept = text.reduce((sum, { length }) => sum + length, 0);
      const chunk = bytes.subarray(from, Math.min(to, from + TEXT_BYTES_MAX - kept));
      text.push(token === "text" ? Buffer.from(chunk) : withReferences(chunk));
    } else if (!this.#sawRoot) {
      for (let at = from; at < to; at++) if ((bytes[at] as number) > BLANK) this.#requireRoot();
    } else if (token === "text" && this.#reader.noticesText && !this.#isInStrayText) {
      this.#isInStrayText = true;
      this.#reject("text in place of a sample: a part of its tag may be missing");
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
    this.#sayWanted();
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
    this.#sayWanted();
    if (element === undefined) return;
    if (element.failure !== undefined) this.#samples.recordFailure(element.failure);
    if (element.details !== undefined) this.#samples.recordDetails(element.details);
    if (element.name.isAssertionMessage) this.#keepAssertion(element);
    if (element.text !== undefined) keepText(element.name, Buffer.concat(element.text), parent);
    if (element.sample !== undefined) this.#endSample(element.sample, parent);
  }

  /** Inside the root, only some elements need text, and the root and samples must have none. */
  #sayWanted(): void {
    const top = this.#open.at(-1);
    this.#reader.wantsText = top?.text !== undefined;
    const isSampleTag = top?.role !== undefined && top.sample === undefined;
    this.#reader.noticesText = isSampleTag || top?.name.isRoot === true;
  }

  #endSample({ line, byte, texts, isMonitor }: OpenSample, parent: OpenElement | undefined): void {
    // Within a sample, an element without fields is something else.
    if (texts.size === 0 && !isOnTop(parent)) return;
    this.#samples.transaction = this.#transactionAround();
    const reason = this.#samples.recordElements(texts, {
      around: this.#roleAround(),
      isMonitor,
    });
    if (reason !== undefined) this.#sink.reject({ line, byte, reason });
    else this.#samples.repairs.report(this.#sink, { line, byte });
  }

  /** Stores the first message of a failed assertion. */
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

/** Adds the text of an element to the sample around it. */
function keepText(
  { text: name, detail }: ElementName,
  text: Buffer,
  parent: OpenElement | undefined,
): void {
  if (detail !== undefined) parent?.details?.texts.set(detail, text);
  if (parent?.sample?.texts.has(name) === false) parent.sample.texts.set(name, text);
}

function nameEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && (bytes[end] as number) > BLANK && bytes[end] !== SLASH) end++;
  return end;
}

function elementName(bytes: Uint8Array): ElementName {
  const text = utf8.decode(bytes);
  return {
    text,
    isRoot: text === ROOT,
    isSample: SAMPLE_NAMES.includes(text),
    isClass: text.includes(".") && !text.startsWith("java."),
    isMonitor: isMonitorClass(text),
    holdsSamples: SAMPLE_PARENTS.includes(text),
    isField: isFieldElement(text),
    isAssertion: text === ASSERTION,
    isAssertionMessage: text === ASSERTION_MESSAGE,
    detail: DETAIL_OF_ELEMENT.get(text),
  };
}

function mayHoldSamples({ sample, name }: OpenElement): boolean {
  return sample !== undefined || name.holdsSamples;
}

function isOnTop(parent: OpenElement | undefined): boolean {
  return parent === undefined || parent.name.isRoot;
}

/** Escapes the text of a CDATA section. */
function withReferences(literal: Buffer): Buffer {
  return Buffer.from(literal.toString("latin1").replaceAll("&", "&amp;"), "latin1");
}
