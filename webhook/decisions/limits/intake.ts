import { LandfallError } from "../../../src/errors.ts";

/** Limits of requests that wait for a decision: in all, and for one namespace. */
const LIMITS = {
  all: { requests: 4096, characters: 64 * 1024 * 1024 },
  namespace: { requests: 1024, characters: 16 * 1024 * 1024 },
} as const;

interface Amount {
  requests: number;
  characters: number;
}

/** Counts the requests that wait for a decision. */
export interface Intake {
  /** Lets a request in; the answer lets it out again. Throws ADM_BUSY if too much waits, of all or of its namespace. */
  enter(namespace: string | null, characters: number): () => void;
}

const exceeds = ({ requests, characters }: Amount, limit: Amount): boolean =>
  requests >= limit.requests || characters >= limit.characters;

/** An intake that nothing waits in. */
export function openIntake(limits: { all: Amount; namespace: Amount } = LIMITS): Intake {
  const all: Amount = { requests: 0, characters: 0 };
  const namespaces = new Map<string, Amount>();

  function change(amount: Amount, sign: 1 | -1, characters: number): void {
    amount.requests += sign;
    amount.characters += sign * characters;
  }

  return {
    enter: (namespace, characters) => {
      const name = namespace ?? "";
      const own = namespaces.get(name) ?? { requests: 0, characters: 0 };
      if (exceeds(all, limits.all)) throw new LandfallError("ADM_BUSY", { scope: "of this cluster" });
      if (exceeds(own, limits.namespace)) throw new LandfallError("ADM_BUSY", { scope: `of namespace ${name}` });
      namespaces.set(name, own);
      for (const amount of [all, own]) change(amount, 1, characters);
      return () => {
        for (const amount of [all, own]) change(amount, -1, characters);
        if (own.requests === 0) namespaces.delete(name);
      };
    },
  };
}
