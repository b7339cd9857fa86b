import type { Role } from "../../model/role.ts";
import {
  type FailedRow,
  type JmeterExtras,
  type JmeterFailure,
  jmeterDetails,
} from "./jmeter-extras.ts";
import type { RequestDetails } from "../../model/samples/request-sample.ts";
import {
  ATTRIBUTES,
  COLUMNS,
  ELEMENTS,
  FIELD,
  type Field,
  type FieldAt,
  JmeterFields,
  MEASURED,
  rowKind,
  type RoleTable,
} from "./jmeter-fields.ts";
import { JmeterXmlLabel, TRANSACTION } from "./jmeter-label.ts";
import { isUsualCode, type JmeterMeasures } from "./jmeter-measures.ts";
import { BytesCache } from "../bytes/byte-table.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { JmeterSamples, type JmeterTargets } from "./jmeter-samples.ts";
import { RowRepairs } from "../row-repairs.ts";
import { XmlAttributes, addAttribute, addText } from "../xml/xml-text.ts";
import type { XmlReader } from "../xml/xml-reader.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const FIELDS = Object.values(FIELD);
const MEASURED_FIELDS = MEASURED.map((name) => FIELD[name]);
const FIELD_OF_COLUMN = new Map(FIELDS.map((field) => [COLUMNS[field], field]));
const UNSET_TIME = /^0*$/;

export interface OpenFailure extends JmeterFailure {
  readonly sample: FailedRow;
}

/** A sample that may be kept whole; complete when its element ends. */
export interface OpenDetails {
  readonly series: number;
  readonly hasFailed: boolean;
  readonly details: RequestDetails;
  /** Elements within it, as written. */
  readonly texts: Map<keyof RequestDetails, Buffer>;
}

export class JmeterXmlSamples {
  role: Role = "request";
  /** Label of the transaction around the next sample, in UTF-8. */
  transaction: Uint8Array | undefined;
  /** What is unknown of the last sample. */
  repairs = new RowRepairs();
  readonly #extras: JmeterExtras;
  readonly #measures: JmeterMeasures;
  readonly #monitors: JmeterTargets["monitors"];
  readonly #roles: RoleTable;
  readonly #labels: LabelTable;
  readonly #kept: JmeterTargets["kept"];
  readonly #fields = new JmeterFields();
  readonly #label: JmeterXmlLabel | undefined;
  readonly #attributes = new XmlAttributes();
  /** Sample variables that are facets. */
  readonly #variableNames: ReadonlySet<string>;
  readonly #variables = new Map<string, Uint8Array>();
  /** Labels that must be unescaped, by their bytes. */
  readonly #cachedLabels = new BytesCache(valueOf);
  readonly #inAttributes: JmeterSamples;
  readonly #inElements: JmeterSamples;
  /** Attribute values of the sample, concatenated. */
  readonly #values: { bytes: Uint8Array; length: number } = {
    bytes: new Uint8Array(4096),
    length: 0,
  };

  constructor(targets: JmeterTargets, roles: RoleTable) {
    const { labelTemplate } = targets;
    this.#roles = roles;
    this.#kept = targets.kept;
    this.#label = labelTemplate === undefined ? undefined : new JmeterXmlLabel(labelTemplate);
    const columns = targets.facets.columns.map(([, column]) => column);
    const known = [...COLUMNS, TRANSACTION];
    this.#variableNames = new Set(columns.filter((column) => !known.includes(column)));
    this.#labels = targets.labels;
    this.#extras = targets.extras;
    this.#measures = targets.measures;
    this.#monitors = targets.monitors;
    this.#inAttributes = new JmeterSamples(targets, this.#fields, ATTRIBUTES);
    this.#inElements = new JmeterSamples(targets, this.#fields, ELEMENTS);
  }

  /**
   * Reads the attributes of a tag. Returns whether it is a sample, whatever its name: elapsed time, and
   * timestamp or label.
   */
  readTag({ bytes, from, to }: XmlReader): boolean {
    const fields = this.#fields;
    if (!this.#putInPlace(bytes, from, to)) this.#putCopied(bytes, from, to);
    const isSample =
      fields.has(FIELD.elapsed) && (fields.has(FIELD.timeStamp) || fields.has(FIELD.label));
    this.#variables.clear();
    if (isSample && this.#variableNames.size > 0) this.#readVariables(bytes, from, to);
    if (isSample && this.#label !== undefined) {
      fields.ownLabel = this.#label.ofTag(bytes, from, to);
    }
    return isSample;
  }

  /** Sample variables, which are attributes of their names. */
  #readVariables(bytes: Uint8Array, from: number, to: number): void {
    const attributes = this.#attributes;
    attributes.begin(bytes, from, to);
    while (attributes.next()) {
      const { nameFrom, nameTo, valueFrom, valueTo } = attributes;
      const name = utf8.decode(bytes.subarray(nameFrom, nameTo));
      if (!this.#variableNames.has(name)) continue;
      this.#variables.set(name, valueOf(bytes.subarray(valueFrom, valueTo)));
    }
  }

  /** A column as CSV calls it, a field or a sample variable, or the transaction. */
  #valueIn(column: string): FieldAt | undefined {
    const field = FIELD_OF_COLUMN.get(column);
    if (field !== undefined) return this.#fieldAt(field);
    const bytes = column === TRANSACTION ? this.transaction : this.#variables.get(column);
    return bytes && { bytes, from: 0, to: bytes.length };
  }

  /** Uses the values of attributes in place. Returns false if one but the label must be unescaped. */
  #putInPlace(bytes: Uint8Array, from: number, to: number): boolean {
    const attributes = this.#attributes;
    const fields = this.#fields;
    fields.begin(bytes);
    attributes.begin(bytes, from, to);
    while (attributes.next()) {
      const { nameFrom, nameTo, valueFrom, valueTo } = attributes;
      const field = fieldOf(bytes, nameFrom, nameTo);
      // XML forbids repeated attributes; the first counts.
      if (field === undefined || fields.has(field)) continue;
      fields.put(field, valueFrom, valueTo);
      if (!attributes.isEscaped) continue;
      if (field !== FIELD.label) return false;
      fields.ownLabel = this.#cachedLabels.at(bytes, valueFrom, valueTo);
    }
    return true;
  }

  #putCopied(bytes: Uint8Array, from: number, to: number): void {
    const attributes = this.#attributes;
    const fields = this.#fields;
    this.#begin(to - from);
    attributes.begin(bytes, from, to);
    while (attributes.next()) {
      const field = fieldOf(bytes, attributes.nameFrom, attributes.nameTo);
      // XML forbids repeated attributes; the first counts.
      if (field === undefined || fields.has(field)) continue;
      const start = this.#values.length;
      addAttribute(this.#values, bytes, attributes.valueFrom, attributes.valueTo);
      fields.put(field, start, this.#values.length);
    }
  }

  /** Records the last tag, or returns why it cannot be read. `around`: role of the enclosing sample. */
  recordTag(around: Role | undefined): string | undefined {
    const samples = this.#inAttributes;
    // JMeter writes it into all samples, or into none.
    if (samples.hasSuccess && !samples.hasOutcome) return "there is no s, which other samples have";
    const reason = samples.record(
      () => this.#roleWithin(around),
      (column) => this.#valueIn(column),
    );
    if (reason === undefined) this.#recorded(samples, around);
    return reason;
  }

  /** Label of the last recorded tag, in UTF-8. */
  labelOfTag(): Uint8Array {
    return Buffer.from(this.#labels.texts[this.#inAttributes.label] ?? "");
  }

  /** Failure of the last recorded tag; assertions follow. */
  failureOfTag(): OpenFailure | undefined {
    return this.#failureOf(this.#inAttributes);
  }

  recordFailure({ sample, ...failure }: OpenFailure): void {
    this.#extras.recordFailure(sample, failure);
  }

  /** Details of the last recorded tag, if it may be kept whole; `failure`: its failure, to which an assertion may add. */
  detailsOfTag(failure: OpenFailure | undefined): OpenDetails | undefined {
    const { series, requests } = this.#inAttributes;
    if (this.#kept === undefined || requests !== 1) return undefined;
    const hasFailed = failure !== undefined;
    const kind = failure && this.#extras.knownKind(failure);
    const isSure = !hasFailed || kind !== undefined;
    if (isSure && !this.#kept.wants(series, this.#inAttributes, kind)) return undefined;
    const details = jmeterDetails(this.#inAttributes, undefined, (name) => this.#text(FIELD[name]));
    return { series, hasFailed, details, texts: new Map() };
  }

  /** Keeps a sample whose failure, if it is one, was just recorded. */
  recordDetails({ series, hasFailed, details, texts }: OpenDetails): void {
    const kind = hasFailed ? this.#extras.lastKind : undefined;
    if (this.#kept?.wants(series, details, kind) !== true) return;
    const read = (): RequestDetails => {
      const elements = Array.from(texts, ([name, text]) => [name, this.textOf(text)] as const);
      const own: RequestDetails = { ...details, ...kind, ...Object.fromEntries(elements) };
      const isQuery = own.url?.includes(`?${own.requestBody}`) === true;
      return { ...own, ...(isQuery && { requestBody: undefined }) };
    };
    const bytes = texts.values().reduce((sum, { length }) => sum + length, 0);
    const { timeMs, elapsedMicros } = details;
    this.#kept.add(series, { timeMs, elapsedMicros, kind, bytes, read });
  }

  /** Records a sample of child elements; `isMonitor`: of a monitor, which is not a request. */
  recordElements(
    texts: ReadonlyMap<string, Buffer>,
    { around, isMonitor }: { readonly around: Role | undefined; readonly isMonitor: boolean },
  ): string | undefined {
    this.#begin([...texts.values()].reduce((sum, { length }) => sum + length, 0));
    for (const field of FIELDS) this.#putElement(field, texts.get(ELEMENTS[field] ?? ""));
    const timeStamp = texts.get(ELEMENTS[FIELD.timeStamp] ?? "")?.toString() ?? "";
    if (UNSET_TIME.test(timeStamp)) this.#putElement(FIELD.timeStamp, texts.get(START_TIME));
    if (isMonitor) return this.#inElements.recordMonitor();
    this.#fields.ownLabel = this.#label?.ofTexts((name) => this.#bytesOfElement(name));
    const reason = this.#inElements.record(
      () => this.#roleWithin(around),
      (column) => this.#valueIn(column),
    );
    if (reason !== undefined) return reason;
    this.#recorded(this.#inElements, around);
    const failure = this.#failureOf(this.#inElements);
    if (failure !== undefined) this.recordFailure(failure);
    return undefined;
  }

  /** Replaces references. */
  textOf(text: Buffer): string {
    this.#begin(text.length);
    addText(this.#values, text, 0, text.length);
    return utf8.decode(this.#values.bytes.subarray(0, this.#values.length));
  }

  get hasSizes(): boolean {
    return this.#inAttributes.hasSize || this.#inElements.hasSize;
  }

  notes(): string[] {
    const [attributes, elements] = [this.#inAttributes, this.#inElements];
    const notes: string[] = [];
    if (attributes.lacksTimeStamp || elements.lacksTimeStamp) {
      notes.push("some samples have no ts: they are at second 0");
    }
    if (attributes.lacksSize || elements.lacksSize || attributes.hasEmptySize) {
      notes.push("some samples have no by: they count as 0 bytes");
    }
    if (attributes.lacksSuccess || elements.lacksSuccess) {
      notes.push("some samples have no s: they do not count as failed");
    }
    return [...notes, ...this.#monitors.notes(), ...this.#extras.notes()];
  }

  #recorded(sample: JmeterSamples, around: Role | undefined): void {
    const { label, second, requests, failedRequests } = sample;
    this.repairs = sample.repairs;
    this.role = this.#roleWithin(around);
    this.#roles.say(label, this.role);
    const isWhole = this.#roles.isWhole(label);
    const [fields, measures] = [this.#fields, this.#measures];
    const row = { label, second, requests, isWhole };
    for (let measure = 0; measure < MEASURED_FIELDS.length; measure++) {
      const written = this.#fieldAt(MEASURED_FIELDS[measure] as Field);
      if (written !== undefined) measures.addWritten(measure, row, written);
    }
    measures.endRow(row);
    if (!isWhole || failedRequests > 0 || !fields.has(FIELD.responseCode)) return;
    const [from, to] = [fields.from(FIELD.responseCode), fields.to(FIELD.responseCode)];
    if (isUsualCode(fields.bytes, from, to)) return;
    const code = this.#extras.textAt(fields.bytes, from, to);
    measures.addCode(label, second, requests, code);
  }

  /** Samples within a transaction are requests, within others sub-results. */
  #roleWithin(around: Role | undefined): Role {
    const kind = rowKind(this.#fieldAt(FIELD.responseMessage), this.#fieldAt(FIELD.dataType));
    if (kind === "transaction") return "transaction";
    if (around === "request" || around === "subresult") return "subresult";
    return kind === "unmarked" || around === "unclear" ? "unclear" : "request";
  }

  #failureOf({ label, series, second, failedRequests }: JmeterSamples): OpenFailure | undefined {
    if (failedRequests === 0) return undefined;
    return {
      sample: { label, series, second, requests: failedRequests },
      responseCode: this.#text(FIELD.responseCode),
      responseMessage: this.#text(FIELD.responseMessage),
      failureMessage: "",
    };
  }

  #text(field: Field): string {
    return utf8.decode(this.#bytesOf(field));
  }

  #bytesOfElement(name: string): Uint8Array | undefined {
    const field = FIELDS.find((each) => ELEMENTS[each] === name);
    return field === undefined ? undefined : this.#bytesOf(field);
  }

  #bytesOf(field: Field): Uint8Array | undefined {
    const at = this.#fieldAt(field);
    return at?.bytes.subarray(at.from, at.to);
  }

  #fieldAt(field: Field): FieldAt | undefined {
    const fields = this.#fields;
    if (!fields.has(field)) return undefined;
    return { bytes: fields.bytes, from: fields.from(field), to: fields.to(field) };
  }

  #begin(length: number): void {
    if (length > this.#values.bytes.length) this.#values.bytes = new Uint8Array(length * 2);
    this.#values.length = 0;
    this.#fields.begin(this.#values.bytes);
  }

  #putElement(field: Field, text: Buffer | undefined): void {
    if (text === undefined) return;
    const start = this.#values.length;
    addText(this.#values, text, 0, text.length);
    this.#fields.put(field, start, this.#values.length);
  }
}

/** Unescapes an attribute. */
function valueOf(written: Uint8Array): Uint8Array {
  const value = { bytes: new Uint8Array(written.length), length: 0 };
  addAttribute(value, written, 0, written.length);
  return value.bytes.subarray(0, value.length);
}

/** Set by plug-ins that leave `timeStamp` at 0. */
const START_TIME = "startTime";

const FIELD_OF_ATTRIBUTE: ReadonlyMap<number, Field> = new Map(
  FIELDS.map((field) => {
    const name = Buffer.from(ATTRIBUTES[field] as string);
    return [name.readUIntBE(0, name.length), field];
  }),
);

export function isFieldElement(name: string): boolean {
  return name === START_TIME || ELEMENTS.includes(name);
}

/** Names of up to three letters are looked up as a number. */
function fieldOf(bytes: Uint8Array, from: number, to: number): Field | undefined {
  if (to - from > 3) return undefined;
  let name = 0;
  for (let at = from; at < to; at++) name = (name << 8) | (bytes[at] as number);
  return FIELD_OF_ATTRIBUTE.get(name);
}
