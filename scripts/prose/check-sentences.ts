import { type Finding, splitSentences } from "./finding.ts";

/** A sentence with more words than this is two sentences. */
const MOST_WORDS = 35;

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu) ?? [];

interface Opening {
  readonly pattern: RegExp;
  readonly message: string;
}

// A question may begin like this, and so may a heading or a label, which have no full stop.
const OPENINGS: readonly Opening[] = [
  {
    pattern: /^(?:Who|Whoever|Whose)\b.*[^?]$/s,
    message: 'names nobody: begin with the subject ("A user who …", "Users who …")',
  },
  {
    pattern: /^(?:What|Whatever)\b.*\.$/s,
    message: 'hides the subject in a clause: begin with the thing itself, not with "What …"',
  },
  { pattern: /^Where\b[^,?]*, [^?]*[.;]$/s, message: 'is a condition: begin with "If" or "When"' },
  {
    pattern: /^Whether\b.*\b(?:is|are|was) (?:not )?(?:known|clear|decided|said|shown)\b/s,
    message: 'hides the subject: begin with it ("The bundle decides whether …")',
  },
];

function lengthFinding(sentence: string, index: number): Finding[] {
  const count = wordsOf(sentence).length;
  if (count <= MOST_WORDS) return [];
  const message = `a sentence of ${count} words; at most ${MOST_WORDS}: make two of it`;
  return [{ rule: "sentence-length", index, length: sentence.length, message }];
}

function openingFinding(sentence: string, index: number): Finding[] {
  const opening = OPENINGS.find(({ pattern }) => pattern.test(sentence));
  if (opening === undefined) return [];
  const first = sentence.split(" ", 3).join(" ");
  return [{ rule: "opening", index, length: first.length, message: `"${first} …" ${opening.message}` }];
}

/** A clause at the beginning of a comment, in place of the thing that it describes. */
export function checkOpening(text: string): Finding[] {
  const first = /^(?:What|Where)\b(?: \S+){0,2}/.exec(text)?.[0];
  if (first === undefined) return [];
  const message = `"${first} …" begins a comment: begin with the thing itself ("The path of …", "The parts that …")`;
  return [{ rule: "opening", index: 0, length: first.length, message }];
}

/** Sentences of `text` that are too long, or that begin with a clause in place of a subject. */
export function checkSentences(text: string): Finding[] {
  return splitSentences(text).flatMap((sentence) => [
    ...lengthFinding(sentence.text, sentence.index),
    ...openingFinding(sentence.text, sentence.index),
  ]);
}
