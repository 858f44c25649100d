interface AllowedExpression {
  /** The text between the slashes. */
  source: string;
  /** Why its text is short, or written by nobody who gains from a slow process. */
  reason: string;
}

const PLATFORM = "the text is the platform's own: a flag, a setting or a file of this repository";
const BUNDLE = "the text is a policy of a bundle that is being built, on its author's machine";

/** Expressions that may take longer than their text grows, each with the reason why nobody can use that. */
export const ALLOWED_EXPRESSIONS: readonly AllowedExpression[] = [
  { source: String.raw`^package\s+landfall\.custom\.(\w+)\s*$`, reason: BUNDLE },
  { source: String.raw`^package\s+([\w.]+)`, reason: "the text is a policy of a verified bundle, within its limits" },
  { source: String.raw`^ *[-+] `, reason: "it is read once for each line" },
  { source: String.raw`\/+$`, reason: PLATFORM },
  { source: String.raw`, ([^,]*)$`, reason: PLATFORM },
  { source: String.raw`\.\d+Z$`, reason: "the text is a time that Date wrote" },
  { source: String.raw`-+$`, reason: "the text has no two dashes in a row: versionName makes one of several" },
  { source: String.raw`\{(\w+)\}`, reason: "the text is a template of src/errors.ts" },
  { source: String.raw`\[([A-Z]+_[A-Z0-9_]+)`, reason: "local mode reads denials of its own examples" },
  { source: String.raw`\b[A-Z]{2,}_[A-Z0-9_]+\b`, reason: "local mode reads denials of its own examples" },
  { source: String.raw`\0.*$`, reason: "the text is a field of a tar header, of at most 155 bytes" },
  {
    source: String.raw`%%|%(?:[1-9]\d{0,8191}\$|(\([^)]{1,8192}\)))?\+?(?:0|'[^$])?-?(\d{1,8192})?(?:\.(\d{1,8192}))?([b-gijostTuvxX])`,
    reason: "the text is a format of at most 8192 characters, which readFormat checks before",
  },
  {
    source: String.raw`(\d+)\.(\d+)\.(\d+)`,
    reason: "the text is what a program of the toolchain says of its version",
  },
];
