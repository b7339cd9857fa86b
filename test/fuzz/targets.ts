import { DECODER_TARGETS, detectTarget } from "./decoder-targets.ts";
import { createHttpTarget } from "./http-target.ts";
import { batchTarget, sourceTarget } from "./source-target.ts";
import { createOtlpTarget, createRemoteWriteTarget } from "./otlp-target.ts";
import { markdownTarget } from "./markdown-target.ts";
import { createDownloadTarget } from "./download-target.ts";
import { createFileNameTarget } from "./file-name-target.ts";
import { createMcpTarget } from "./mcp-target.ts";
import { createOutputTarget } from "./output-target.ts";
import { parquetTarget } from "./parquet-target.ts";
import type { FuzzTarget } from "./target.ts";

/** All fuzz targets; each has a folder of its name in `corpus/`. */
export function openTargets(): readonly FuzzTarget[] {
  return [
    ...DECODER_TARGETS,
    detectTarget,
    sourceTarget,
    batchTarget,
    createHttpTarget(),
    createOtlpTarget(),
    createRemoteWriteTarget(),
    markdownTarget,
    createDownloadTarget(),
    parquetTarget,
    createFileNameTarget(),
    createMcpTarget(),
    createOutputTarget(),
  ];
}
