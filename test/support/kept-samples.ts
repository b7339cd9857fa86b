import type { SampleRecorder } from "../../src/aggregate/sample-recorder.ts";
import type { DecodeOptions, Format } from "../../src/decode/decoder.ts";
import { MeasurementCollector } from "../../src/import/measurement-collector.ts";
import { dividedEntries } from "../../src/model/samples/child-spans.ts";
import type { LabelledSample } from "../../src/model/samples/request-sample.ts";
import { labelOfSeries } from "../../src/model/series/facets.ts";

/** The requests of a source that are kept whole, with their labels without facets. */
export function keptOf(
  format: Format,
  source: string | Uint8Array,
  { pieceBytes = 7001, ...options }: Partial<DecodeOptions> & { readonly pieceBytes?: number } = {},
): readonly LabelledSample[] {
  const bytes = Buffer.from(source);
  const collector = new MeasurementCollector({ samples: { bytesMax: 4 * 1024 * 1024 } });
  const decoder = format.open(collector, { timeZone: "UTC", ...options });
  (collector.samples as SampleRecorder).nameOf = (label) => decoder.labels[label] as string;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    decoder.push(bytes.subarray(at, at + pieceBytes));
  }
  decoder.end();
  const { samples } = dividedEntries(collector.flush(decoder)?.samples ?? []);
  return samples.map(({ label, ...sample }) => ({ label: labelOfSeries(label), ...sample }));
}
