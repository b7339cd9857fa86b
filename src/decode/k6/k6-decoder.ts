import type { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd } from "../decoder.ts";
import { labelNotes } from "../labels/label-table.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";
import type { K6Kernel } from "./k6-kernel.ts";
import type { K6Samples } from "./k6-samples.ts";

/** Larger slices leave the processor's cache before they are read. */
const SLICE_BYTES = 256 * 1024;

interface K6DecoderParts {
  readonly kernel: K6Kernel;
  readonly window: ByteWindow;
  readonly reader: WindowParts["reader"];
  readonly samples: K6Samples;
  /** Throws `UserError` if the source lacked something. */
  readonly checkEnd: () => void;
}

export class K6Decoder extends WindowDecoder {
  readonly #kernel: K6Kernel;

  constructor({ kernel, window, reader, samples, checkEnd }: K6DecoderParts) {
    super(window, {
      reader,
      rows: samples,
      generators: samples.generators,
      finish() {
        const notes = [...samples.end(), ...labelNotes(samples.labels)];
        checkEnd();
        return notes;
      },
    });
    this.#kernel = kernel;
  }

  override push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      super.push(chunk.subarray(at, at + SLICE_BYTES));
    }
  }

  override end(): DecodeEnd {
    const end = super.end();
    this.#kernel.giveBack();
    return end;
  }
}
