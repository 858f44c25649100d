import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isObject } from "../src/model/json.ts";

/** Generators whose sources are part of the project. */
const FROM_THE_PROJECT = ["schemas", "charts", "errors", "capabilities"];

/**
 * Generated files that differ from what `npm run generate` would write. The catalog is compared only where the raw figures
 * lie beside the project, which is said in a note.
 */
export async function checkGenerated(root: string): Promise<{ problems: string[]; notes: string[] }> {
  const data = join(root, "../shared/data");
  const hasData = existsSync(data);
  const names = hasData ? [] : FROM_THE_PROJECT;
  const notes = hasData ? [] : ["the catalog is not compared: no raw figures beside the project"];
  const args = ["scripts/generate.ts", ...names, "--check", "--data", data];
  const run = promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 64 << 20 });
  const problems = await run.then(
    () => [],
    (error: unknown) => [
      isObject(error) ? `${String(error["stdout"])}${String(error["stderr"])}`.trim() : String(error),
    ],
  );
  return { problems, notes };
}
