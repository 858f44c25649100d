// `npm run release-notes -- v0.2.0`: the section of CHANGELOG.md for a tag. Exits with 1 if there is none.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The text below `## [version]`, without the heading; null if the changelog has no such section or it is empty. */
export function releaseNotes(changelog: string, version: string): string | null {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`));
  const notes = section?.split("\n").slice(1).join("\n").trim() ?? "";
  return notes === "" ? null : `${notes}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const tag = process.argv[2] ?? "";
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const notes = releaseNotes(changelog, tag.replace(/^v/, ""));
  if (notes === null) process.stderr.write(`CHANGELOG.md has no section for ${tag}\n`);
  else process.stdout.write(notes);
  process.exitCode = notes === null ? 1 : 0;
}
