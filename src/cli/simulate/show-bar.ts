import type { Cli } from "../cli.ts";

const WIDTH = 32;

/** A bar on standard error, rewritten in place; nothing where no terminal is. Call it with the part that is done, 0 to 1. */
export function showBar({ note, watched }: Pick<Cli, "note" | "watched">, title: string): (part: number) => void {
  let shown = -1;
  return (part) => {
    const percent = Math.min(100, Math.floor(100 * part));
    if (!watched || percent === shown) return;
    shown = percent;
    const filled = Math.round((WIDTH * percent) / 100);
    const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
    note(percent === 100 ? "\r\u001b[K" : `\r${title} ${bar} ${String(percent).padStart(3)} %`);
  };
}
