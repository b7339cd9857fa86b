import type { FailureKind } from "../model/failures.ts";
import type { Rejection } from "../model/import-report.ts";
import type { SourceQuality } from "../model/source-quality.ts";
import type { ByteWindow } from "./bytes/byte-window.ts";
import type { DecodeEnd, Decoder, LabelTexts } from "./decoder.ts";

export interface WindowParts {
  readonly reader: {
    /** Reads all complete records and settles the window. Called after each `append`. */
    read(): void;
    /** Reads the rest. Returns where the source is truncated. */
    end(): Rejection | undefined;
  };
  /** Where the reader records what it reads. */
  readonly rows: {
    readonly labels: LabelTexts;
    readonly failureKinds: readonly FailureKind[];
    flush(): void;
  };
  /** @default none */
  readonly generators?: readonly string[] | undefined;
  /** Called at the end; records what waited for it. Returns notes. Throws `unreadable-source` if something is missing. */
  finish(truncatedAt: Rejection | undefined): readonly string[];
  /** What the source itself says; read after `finish`. @default nothing */
  readonly rowQuality?: Pick<SourceQuality, "discrepancies" | "extent">;
}

export class WindowDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly labelTexts: LabelTexts;
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #window: ByteWindow;
  readonly #parts: WindowParts;

  constructor(window: ByteWindow, parts: WindowParts) {
    this.labels = parts.rows.labels.texts;
    this.labelTexts = parts.rows.labels;
    this.failureKinds = parts.rows.failureKinds;
    this.generators = parts.generators ?? [];
    this.#window = window;
    this.#parts = parts;
  }

  push(chunk: Uint8Array): void {
    this.#window.append(chunk);
    this.#parts.reader.read();
  }

  flush(): void {
    this.#parts.rows.flush();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#parts.reader.end();
    const notes = this.#parts.finish(truncatedAt);
    this.#parts.rows.flush();
    const { rowQuality } = this.#parts;
    return { truncatedAt, notes, ...(rowQuality && { quality: rowQuality }) };
  }
}
