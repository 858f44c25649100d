/** What one check found. */
export interface Finding {
  check: string;
  detail: string;
  /** What to do; null if nothing is wrong. */
  remedy: string | null;
}

export const fine = (check: string, detail: string): Finding => ({ check, detail, remedy: null });
export const wrong = (check: string, detail: string, remedy: string): Finding => ({ check, detail, remedy });
