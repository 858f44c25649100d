import { describe, expect, it } from "vitest";
import { openRules } from "../../../scripts/prose/open-rules.ts";

const { text: rules } = openRules();
const found = (text: string): string[] =>
  rules(text).map(({ rule, index, length }) => `${rule}: ${text.slice(index, index + length)}`);
const sentence = (words: number): string => `${Array.from({ length: words }, (_, at) => `W${at}`).join(" ")}.`;

describe("a sentence's length", () => {
  it("allows 35 words, in every sentence of a paragraph", () => {
    expect(found(`${sentence(35)} ${sentence(35)}`)).toEqual([]);
  });

  it("reports a sentence of 36 words, wherever its lines break", () => {
    const long = sentence(36).replaceAll("W5 ", "W5\n");
    expect(rules(`Short. ${long}`)).toEqual([
      {
        rule: "sentence-length",
        index: 7,
        length: sentence(36).length,
        message: "a sentence of 36 words; at most 35: make two of it",
      },
    ]);
  });

  it("does not end a sentence at an abbreviation", () => {
    expect(found(`${sentence(20).slice(0, -1)}, e.g. ${sentence(20)}`)).toEqual([
      `sentence-length: ${sentence(20).slice(0, -1)}, e.g. ${sentence(20)}`,
    ]);
  });
});

describe("a sentence's opening", () => {
  it.each([
    ["Who has no use for hours deletes the object.", "opening: Who has no"],
    ["Whoever creates it looks it up.", "opening: Whoever creates it"],
    ["What admission wrote is stripped.", "opening: What admission wrote"],
    ["Where budgets hold, creations wait.", "opening: Where budgets hold,"],
    ["Whether Elemento did it is not known: the answer was lost.", "opening: Whether Elemento did"],
  ])("reports %s", (text, expected) => {
    expect(found(text)).toContain(expected);
  });

  it.each([
    "Users who wait for hours delete the object.",
    "What does a denial say?",
    "What the webhook does",
    "Where the machine is used from.",
    "Whether the pool spans zones.",
    "If budgets are set, creations wait.",
  ])("accepts %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("words", () => {
  it.each([
    ["The webhook decides it anew.", "anew"],
    ["spec.duration banana is no duration.", "is no "],
    ["The default holds where it is left out.", "where it is left out"],
    ["Give it, or leave spec.zone out.", "leave spec.zone out"],
    ["The controller starts it by\nitself.", "by\nitself"],
    ["The controller lifts the pause.", "lifts the pause"],
    ["The file is there already.", "is there already"],
    ["The user is told.", "is told"],
    ["Nobody can read it.", "Nobody"],
    ["The object starts at once.", "at once"],
    ["A test stands beside it.", "beside"],
    ["Give a CIDR, else one is chosen.", ", else"],
    ["It stops, for the key is missing.", ", for the key is"],
    ["The registry is out of reach.", "out of reach"],
    ["The budgets leave no room.", "leave no room"],
  ])("reports %s", (text, phrase) => {
    expect(found(text)).toContain(`term: ${phrase}`);
  });

  it.each([
    "There is no region.",
    "The price is no longer published.",
    "Two at once are enough.",
    "It moves away from the origin.",
    "The table keeps its ledger-like form.",
    "The release goes on to the next step.",
    "If spec.zone is omitted, the first zone is used.",
  ])("accepts %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("suggests what to write instead", () => {
    expect(rules("Decide anew.")).toEqual([{ rule: "term", index: 7, length: 4, message: '"anew": write again' }]);
  });

  it("reports a doubled word, but not masked code", () => {
    expect(found("It is the the price of XXXX XXXX.")).toEqual(["doubled-word: the the"]);
  });
});
