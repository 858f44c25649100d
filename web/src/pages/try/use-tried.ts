import { useEffect, useRef, useState } from "react";
import type { Manifest, Tried } from "../../../../src/console/contract/trying.ts";
import { send } from "../../api/request.ts";
import { type Asked, createTrier, type Trier } from "./document/create-trier.ts";

const DEBOUNCE_MS = 400;

const NOTHING: Asked<Tried> = { value: null, problem: null, isCurrent: true };

/** Tries an object again while it changes. Null asks nothing. */
export function useTried(manifest: Manifest | null): Asked<Tried> {
  const [asked, setAsked] = useState(NOTHING);
  const trier = useRef<Trier>(null);
  const question = manifest === null ? null : JSON.stringify(manifest);
  useEffect(() => {
    const made = createTrier<Tried>({
      send: (text, signal) => send("/api/try", JSON.parse(text) as Manifest, signal),
      debounceMs: DEBOUNCE_MS,
      tell: setAsked,
    });
    trier.current = made;
    return () => {
      made.stop();
    };
  }, []);
  useEffect(() => {
    trier.current?.ask(question);
  }, [question]);
  return asked;
}
