import type { ArtilleryNames } from "./artillery-names.ts";
import { ArtilleryReport } from "./artillery-report.ts";
import { ArtilleryWindows } from "./artillery-windows.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";

/** The report that `artillery run --output FILE` writes: docs/formats/artillery.md. */
export const artilleryJson: Format = {
  name: "artillery-json",
  recognises: isArtilleryJson,
  open: (sink, options) => new ArtilleryDecoder(sink, options),
};

/** What the report of a whole run begins with; Artillery 1 has no counters there. */
function isArtilleryJson(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  return (
    /^\s*\{\s*"(?:aggregate|intermediate)"\s*:/.test(text) &&
    /"(?:counters|scenariosCreated)"\s*:/.test(text)
  );
}

class ArtilleryDecoder implements Decoder {
  readonly labels;
  readonly failureKinds;
  readonly generators;
  readonly #window = new ByteWindow();
  readonly #windows: ArtilleryWindows;
  readonly #report: ArtilleryReport;
  #names: ArtilleryNames | undefined;

  constructor(sink: SampleSink, { labels }: DecodeOptions) {
    const windows = new ArtilleryWindows(sink, labels);
    this.labels = windows.labels.texts;
    this.failureKinds = windows.failureKinds;
    this.generators = windows.generators;
    this.#windows = windows;
    this.#report = new ArtilleryReport(
      this.#window,
      (period, names) => {
        this.#names = names;
        return windows.take(period, names);
      },
      (rejection) => sink.reject(rejection),
    );
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#report.read();
  }

  /** Nothing waits: windows are handed over as soon as they are read. */
  flush(): void {}

  end(): DecodeEnd {
    const cut = this.#report.end();
    this.#windows.takeWhole(this.#report.summaries, this.#names);
    return { cut, notes: this.#windows.notes() };
  }
}
