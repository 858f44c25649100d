import { useEffect, useMemo, useState } from "react";
import type { Manifest as Sent, Tried } from "../../../../src/console/contract/trying.ts";
import { patchText } from "./denial-text.tsx";
import type { Asked } from "./document/create-trier.ts";
import {
  type Manifest,
  type Operation,
  type Path,
  pathIn,
  rangeOf,
  readManifest,
  withPatch,
  withValue,
} from "./document/manifest.ts";
import type { EditorProps } from "./editor/editor.tsx";
import { useTried } from "./use-tried.ts";

/** Drafts by kind, for as long as the tab is open. Not stored: user data can hold secrets. */
const drafts = new Map<string, string>();

/** A document that is written, and what would happen to it. */
export interface Draft {
  text: string;
  document: Manifest;
  /** Null while the text cannot be read. */
  manifest: Sent | null;
  asked: Asked<Tried>;
  /** Tries the same document again. */
  tryAgain: () => void;
  diagnostics: EditorProps["diagnostics"];
  setText: (text: string) => void;
  setValue: (path: Path, value: unknown) => void;
  takePatch: (patch: string) => void;
}

/** The faults of the text and the denials, at their places. */
function diagnosticsOf(
  { text, faults }: Manifest,
  tried: Tried | null,
  takePatch: (patch: string) => void,
): EditorProps["diagnostics"] {
  if (faults.length > 0) return faults.map((fault) => ({ ...fault, severity: "error" }));
  return (tried?.denials ?? []).map(({ field, message, patch }) => ({
    ...rangeOf(text, pathIn(field ?? "metadata.name")),
    ...{ severity: "error", message },
    actions:
      patch === null
        ? []
        : [
            {
              name: `Accept ${patchText(patch)}`,
              apply: () => {
                takePatch(patch);
              },
            },
          ],
  }));
}

interface DraftOptions {
  kind: string;
  namespace: string;
  /** The text of a new document. */
  first: () => string;
}

export function useDraft({ kind, namespace, first }: DraftOptions): Draft {
  const [text, setText] = useState(() => drafts.get(kind) ?? first());
  useEffect(() => {
    drafts.set(kind, text);
  }, [kind, text]);
  const document = useMemo(() => readManifest(text), [text]);
  const manifest = document.value === null ? null : { namespace, object: JSON.stringify(document.value) };
  const { asked, again: tryAgain } = useTried(manifest);
  const takePatch = (patch: string): void => {
    setText((before) => withPatch(before, JSON.parse(patch) as Operation[]));
  };
  const setValue = (path: Path, value: unknown): void => {
    setText((before) => withValue(before, path, value));
  };
  const tried = asked.problem === null ? asked.value : null;
  const diagnostics = useMemo(() => diagnosticsOf(document, tried, takePatch), [document, tried]);
  return { text, document, manifest, asked, tryAgain, diagnostics, setText, setValue, takePatch };
}
