/** What a rule found: where in the text it begins, how long it is, and what to write instead. */
export interface Finding {
  readonly rule: "term" | "sentence-length" | "opening" | "doubled-word";
  readonly index: number;
  readonly length: number;
  readonly message: string;
}

/** A sentence of a text: its words and where it begins. */
export interface Sentence {
  readonly text: string;
  readonly index: number;
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/**
 * The sentences of `text`. A line break is a blank, and a full stop inside an abbreviation ends nothing.
 */
export function splitSentences(text: string): Sentence[] {
  const oneLine = text
    .replace(/\s/g, " ")
    .replace(/\b(e\.g|i\.e|etc|vs)\.(?= \S)/g, (whole) => whole.replaceAll(".", "_"));
  return [...segmenter.segment(oneLine)]
    .map(({ index, segment }) => ({ index: index + segment.search(/\S|$/), text: segment.trim() }))
    .filter((sentence) => sentence.text !== "")
    .map(({ index, text: found }) => ({ index, text: text.slice(index, index + found.length).replace(/\s+/g, " ") }));
}
