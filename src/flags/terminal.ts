import colors from "picocolors";
import type { Colors } from "picocolors/types.js";
import { neutralise } from "../model/text/neutralise.ts";
import { textOf } from "../model/json.ts";

export interface Terminal {
  colors: Colors;
  /** The text that is safe to write: every control sequence that did not come from `colors` is visible text. */
  safe: (text: string) => string;
}

const START = "\u001b[";

/**
 * Colours whose sequences carry a number that no one outside of this process knows, so that `safe` can tell them from those in
 * texts of objects, bundles and answers. Groups of at most four digits, as programs expect that measure the width of a text.
 */
export function openTerminal(painted: boolean, secret: number): Terminal {
  const digits = String(secret).padStart(12, "0");
  const mark = `${START}${digits.slice(0, 4)};${digits.slice(4, 8)};${digits.slice(8, 12)};`;
  const plain = colors.createColors(painted);
  const safe = (text: string): string => text.split(mark).map(neutralise).join(START);
  const marked = (text: string): string => text.split(mark).map(neutralise).join(mark);
  function paint(formatter: (text: string) => string): (input: unknown) => string {
    const [open = "", close = ""] = formatter("\n").replaceAll(START, mark).split("\n");
    // A colour inside of this one ends it: it begins again.
    return (input) => open + marked(textOf(input)).replaceAll(close, close + open) + close;
  }
  const entries = Object.entries(plain).map(([name, value]: [string, unknown]): [string, unknown] => [
    name,
    painted && typeof value === "function" ? paint(value as (text: string) => string) : value,
  ]);
  return { colors: Object.fromEntries(entries) as unknown as Colors, safe };
}
