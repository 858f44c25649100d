import type { Readable } from "node:stream";
import type { Colors } from "picocolors/types.js";

/** What a command gets from the outside; main.ts is the one that looks there. */
export interface Cli {
  /** The project's own folder: its bundle, charts and templates. */
  root: string;
  stdin: Readable;
  /** Writes to standard output. Control characters that are not of `colors` become visible text. */
  write: (text: string) => void;
  /** Writes to standard error: progress and notes, never the answer. */
  note: (text: string) => void;
  /** Writes over the last line of standard error, where it is a terminal; nothing removes the line. */
  rewrite: (line: string) => void;
  /** Standard error is a terminal: a line on it may be rewritten. */
  watched: boolean;
  /** Paints only where a person watches. */
  colors: Colors;
  env: Readonly<Record<string, string | undefined>>;
  /** Sets the process's exit code. */
  exit: (code: number) => void;
}

/** 0: as asked; 1: it differs (`diff`); 2: bad input; 3: denied, a threshold that was passed, or a case that fails. */
export const EXIT = { allowed: 0, differs: 1, badInput: 2, denied: 3 } as const;
