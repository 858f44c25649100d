/** The finding of one check. */
export interface Finding {
  check: string;
  detail: string;
  /** The correction; null if nothing is wrong. */
  remedy: string | null;
}

export const fine = (check: string, detail: string): Finding => ({ check, detail, remedy: null });
export const wrong = (check: string, detail: string, remedy: string): Finding => ({ check, detail, remedy });

/** A process that reported its version. */
export interface RunningProcess {
  name: string;
  /** Of Landfall; empty if it did not say it, as earlier versions did not. */
  version: string;
}

/** The findings of a check, and the processes that it saw. */
export interface Checked {
  findings: Finding[];
  running: RunningProcess[];
}
