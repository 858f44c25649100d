import { LandfallError } from "../../errors.ts";

/** Why Secrets were refused lately: many objects name the same wrong one. */
export interface Refusals {
  /** Throws what `note` got for this Secret, if that is not long ago. */
  check(id: string): void;
  note(id: string, thrown: unknown): void;
  /** Forgets what is over. */
  sweep(): void;
}

/** Remembers refusals for `keepMs`. Failures of the API server are none: those are tried again. */
export function rememberRefusals(nowMs: () => number, keepMs: number): Refusals {
  const refused = new Map<string, { at: number; error: LandfallError }>();
  const isOver = ({ at }: { at: number }): boolean => nowMs() - at >= keepMs;
  return {
    check(id) {
      const found = refused.get(id);
      if (found !== undefined && !isOver(found)) throw found.error;
    },
    note(id, thrown) {
      if (thrown instanceof LandfallError && thrown.code === "ELEMENTO_ACCOUNT")
        refused.set(id, { at: nowMs(), error: thrown });
    },
    sweep() {
      for (const [id, one] of refused) if (isOver(one)) refused.delete(id);
    },
  };
}
