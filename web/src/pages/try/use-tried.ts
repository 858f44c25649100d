import { useEffect, useRef, useState } from "react";
import type { Manifest, Tried } from "../../../../src/console/contract/trying.ts";
import { RequestError, send } from "../../api/request.ts";
import { againMs } from "../../api/retry.ts";
import { onSignIn } from "../../api/session.ts";
import { type Asked, createTrier, type Trier } from "./document/create-trier.ts";

const DEBOUNCE_MS = 400;

const NOTHING: Asked<Tried> = { value: null, problem: null, isCurrent: true };

export interface Trying {
  asked: Asked<Tried>;
  /** Tries the same object again. */
  again: () => void;
}

/** Tries an object again while it changes. Null asks nothing. */
export function useTried(manifest: Manifest | null): Trying {
  const [asked, setAsked] = useState(NOTHING);
  const trier = useRef<Trier>(null);
  const question = manifest === null ? null : JSON.stringify(manifest);
  useEffect(() => {
    const made = createTrier<Tried>({
      send: (text, signal) => send("/api/try", JSON.parse(text) as Manifest, signal),
      debounceMs: DEBOUNCE_MS,
      tell: setAsked,
      againMs: (problem, failures) => (problem instanceof RequestError ? againMs(problem.problem, failures) : null),
    });
    trier.current = made;
    const stopListening = onSignIn(() => {
      made.repeat();
    });
    return () => {
      stopListening();
      made.stop();
    };
  }, []);
  useEffect(() => {
    trier.current?.ask(question);
  }, [question]);
  const again = (): void => trier.current?.repeat();
  return { asked, again };
}
