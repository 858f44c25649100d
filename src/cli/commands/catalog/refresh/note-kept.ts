import type { LandfallError } from "../../../../errors.ts";
import type { Cli } from "../../../cli.ts";

/** A note about what keeps its earlier figures, and why; null if nothing does. */
interface Kept {
  /** `azure/eastus keeps its prices of 2026-06` */
  what: string;
  kept: LandfallError | null;
}

/** A line for each place or zone that keeps its earlier figures, and for each code what to do. */
export function noteKept(cli: Cli, all: readonly Kept[]): void {
  const remedies = new Map<string, string>();
  for (const { what, kept } of all) {
    if (kept === null) continue;
    cli.note(`landfall: ${what}: ${kept.message} [${kept.code}]\n`);
    remedies.set(kept.code, kept.remedy);
  }
  for (const [code, remedy] of remedies) cli.note(`landfall: ${code}: ${remedy}\n`);
}
