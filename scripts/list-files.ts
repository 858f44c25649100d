import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** The files that git tracks or would add, with paths from `root`; a deleted file that is still in the index is left out. */
export async function listFiles(root: string): Promise<string[]> {
  const args = ["ls-files", "-z", "-co", "--exclude-standard"];
  const { stdout } = await promisify(execFile)("git", args, { cwd: root, maxBuffer: 64 << 20 });
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}
