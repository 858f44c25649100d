import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

/**
 * The files that git tracks or would add, with paths from `root`; with `patterns` (git's pathspecs) those that match one.
 * A deleted file that is still in the index is left out.
 */
export async function listFiles(root: string, patterns: readonly string[] = []): Promise<string[]> {
  const { stdout } = await execa("git", ["ls-files", "-z", "-co", "--exclude-standard", "--", ...patterns], {
    cwd: root,
  });
  return [...new Set(stdout.split("\0"))].filter((file) => file !== "" && existsSync(join(root, file)));
}
