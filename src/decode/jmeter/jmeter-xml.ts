import { JMETER_XML } from "./about.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Role } from "../../model/role.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { FacetedLabels } from "../labels/faceted-labels.ts";
import { JmeterExtras, JmeterMonitors } from "./jmeter-extras.ts";
import { JmeterXmlElements } from "./jmeter-xml-elements.ts";
import { JmeterFacets } from "./jmeter-label.ts";
import { JmeterKernel } from "./jmeter-kernel.ts";
import { JmeterMeasures } from "./jmeter-measures.ts";
import { JmeterXmlSamples } from "./jmeter-xml-samples.ts";
import { LabelTable, labelNotes } from "../labels/label-table.ts";
import { RoleTable } from "./jmeter-fields.ts";
import { SampleRows } from "../sample-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import { XmlReader } from "../xml/xml-reader.ts";

/** The XML result files of JMeter: docs/internals/formats/jmeter.md. */
export const jmeterXml: Format = {
  ...JMETER_XML,
  recognises: isJmeterXml,
  open: (sink, options) => new JmeterXmlDecoder(sink, options),
};

const ROOT = /^<testResults[\s/>]/;
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
  return isDeclared || ROOT.test(rest);
}

function prologueOf(text: string): (typeof PROLOGUE)[number] | undefined {
  return PROLOGUE.find(([begins]) => text.startsWith(begins));
}
