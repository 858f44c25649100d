/** The finding of one check. */
export interface Finding {
  check: string;
  detail: string;
  /** The correction; null if nothing is wrong. */
  remedy: string | null;
}

export const fine = (check: string, detail: string): Finding => ({ check, detail, remedy: null });
export const wrong = (check: string, detail: string, remedy: string): Finding => ({ check, detail, remedy });
