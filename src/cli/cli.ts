import type { Readable } from "node:stream";
import type { Colors } from "picocolors/types.js";

/** A command's environment; only main.ts reads the real one. */
export interface Cli {
  /** The project's own folder: its bundle, charts and templates. */
  root: string;
  stdin: Readable;
  /** Writes to standard output. Control characters that are not of `colors` become visible text. */
  write: (text: string) => void;
  /** Writes to standard error: progress and notes, never results. */
  note: (text: string) => void;
  /** Writes over the last line of standard error, where it is a terminal; nothing removes the line. */
  rewrite: (line: string) => void;
  /** Whether standard error is a terminal, where a line can be rewritten. */
  watched: boolean;
  /** Colours, only for a terminal. */
  colors: Colors;
  env: Readonly<Record<string, string | undefined>>;
  /** Sets the process's exit code. */
  exit: (code: number) => void;
}

/** 0: success; 1: differences (`diff`); 2: invalid input; 3: denied, exceeded threshold, or failed case. */
export const EXIT = { allowed: 0, differs: 1, badInput: 2, denied: 3 } as const;
