import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ERRORS } from "../../src/errors.ts";
import { NOTE_CODES } from "../../src/model/text/note-codes.ts";

const target = fileURLToPath(new URL("../../docs/reference/errors.md", import.meta.url));

function render(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { text, remedy }]) => `| \`${code}\` | ${text.replaceAll("|", "\\|")} | ${remedy.replaceAll("|", "\\|")} |`,
  );
  const notes = Object.entries(NOTE_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return [
    "# Error codes",
    "",
    "Generated from `src/errors.ts` by `npm run generate`. A code never changes its meaning once released.",
    "",
    "| code | what it says | what to do |",
    "|---|---|---|",
    ...rows,
    "",
    "## Notes",
    "",
    "Codes of notes next to a decision. They deny nothing, and each text says what to write. Generated from `src/model/text/note-codes.ts`.",
    "",
    "| code | meaning |",
    "|---|---|",
    ...notes,
    "",
  ].join("\n");
}

/** Writes docs/reference/errors.md, or with `check` only answers whether it would change. */
export async function generateErrorDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return ["docs/reference/errors.md"];
}
