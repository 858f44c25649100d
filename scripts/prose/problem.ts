/** A finding in a file, as the check prints it. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A text of a program that a person reads, and the line of its source. */
export interface SourceText {
  readonly line: number;
  readonly text: string;
}

/** The reason in a comment `prose-ok: REASON`, which excuses the text that follows; undefined without one. */
export const excuse = (text: string): string | undefined =>
  /\bprose-ok: *((?!-->|\*\/)\S[^\n]*?) *(?:\*\/|-->|$)/m.exec(text)?.[1];
