import { execa } from "execa";

/**
 * Generated files that differ from what `npm run generate` would write. What is made of figures that lie beside the project
 * is compared only where they do; the notes say where they do not.
 */
export async function checkGenerated(root: string): Promise<{ problems: string[]; notes: string[] }> {
  const result = await execa(process.execPath, ["scripts/generate.ts", "--check"], { cwd: root, reject: false });
  if (result.failed)
    return { problems: [`${result.stdout}${result.stderr}`.trim() || (result.shortMessage ?? "")], notes: [] };
  return { problems: [], notes: result.stdout.split("\n").filter((line) => line.includes("absent")) };
}
