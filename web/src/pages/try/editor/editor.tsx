import { autocompletion, closeBrackets, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type ReactElement, useEffect, useRef } from "react";
import type { SchemaNode } from "../document/schema.ts";
import { choicesAt, type Known } from "./completions.ts";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.comment, tags.meta], color: "var(--quiet)" },
  { tag: tags.string, color: "var(--good)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--sunken)", border: "0" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--accent-tint)",
  },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "240px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--text)", backgroundColor: "var(--accent-tint)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".cm-completionInfo": { maxWidth: "320px", font: "14px/20px var(--font)" },
  "@media (max-width: 799px)": { ".cm-completionInfo": { display: "none" } },
  ".cm-diagnostic": { font: "14px/20px var(--font)", maxWidth: "480px" },
  ".cm-diagnosticAction": { color: "var(--on-accent)", backgroundColor: "var(--accent)" },
});

export interface EditorProps {
  text: string;
  schema: SchemaNode;
  known: Known;
  diagnostics: readonly Diagnostic[];
  onChange: (text: string) => void;
}

/** The newest properties, which the editor's own functions read. */
type Latest = Readonly<{ current: EditorProps }>;

const completing = (latest: Latest) => (context: CompletionContext) => {
  const { schema, known } = latest.current;
  const found = choicesAt(context.state.doc.toString(), context.pos, schema, known);
  if (found === null || found.options.length === 0) return null;
  if (!context.explicit && context.pos === found.from) return null;
  const options = found.options.map(({ label, apply, detail, info }) => ({
    ...{ label, apply, detail },
    ...(info === "" ? {} : { info }),
  }));
  return { from: found.from, options, validFor: /^[\w./-]*$/ };
};

// Chromium joins lines that are typed over with inline styles, which the policy of the page reports. So this replaces the selection.
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    if (inputType !== "insertText" || data === null || view.composing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

function openEditor(root: ShadowRoot, latest: Latest): EditorView {
  const state = EditorState.create({
    doc: latest.current.text,
    extensions: [
      ...[lineNumbers(), history(), drawSelection(), indentOnInput(), closeBrackets(), yaml(), lintGutter()],
      ...[syntaxHighlighting(COLOURS), THEME, TYPED_OVER],
      autocompletion({ override: [completing(latest)], icons: false }),
      // Tab leaves the editor after Escape, as CodeMirror's own guide to accessibility asks.
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": "YAML" }),
      EditorView.updateListener.of(({ docChanged, state: { doc }, transactions }) => {
        const isOurs = transactions.some((one) => one.annotation(Transaction.remote) === true);
        if (docChanged && !isOurs) latest.current.onChange(doc.toString());
      }),
    ],
  });
  // In a shadow tree its styles are sheets that script adopts, which the policy of the page allows; elsewhere they are style elements.
  return new EditorView({ state, root, parent: root });
}

/** The part of the text that differs, so that the cursor stays where it is. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from++;
  let tail = 0;
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

/** The YAML of the document, with completion by its schema. */
export function Editor(props: EditorProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  const { text, diagnostics } = props;
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const opened = openEditor(element.shadowRoot ?? element.attachShadow({ mode: "open" }), latest);
    view.current = opened;
    return () => {
      opened.destroy();
    };
  }, []);
  useEffect(() => {
    const shown = view.current?.state.doc.toString();
    if (shown === undefined || shown === text) return;
    view.current?.dispatch({ changes: difference(shown, text), annotations: Transaction.remote.of(true) });
  }, [text]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    const end = shown.state.doc.length;
    const within = diagnostics.map((one) => ({ ...one, from: Math.min(one.from, end), to: Math.min(one.to, end) }));
    shown.dispatch(setDiagnostics(shown.state, within));
  }, [diagnostics]);
  return <div className="editor" ref={host} />;
}
