import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isObject } from "../src/model/json.ts";

/**
 * Generated files that differ from what `npm run generate` would write. What is made of figures that lie beside the project
 * is compared only where they do; the notes say where they do not.
 */
export async function checkGenerated(root: string): Promise<{ problems: string[]; notes: string[] }> {
  const run = promisify(execFile)(process.execPath, ["scripts/generate.ts", "--check"], { cwd: root });
  try {
    const { stdout } = await run;
    return { problems: [], notes: stdout.split("\n").filter((line) => line.includes("absent")) };
  } catch (thrown) {
    const output = isObject(thrown) ? `${String(thrown["stdout"])}${String(thrown["stderr"])}` : String(thrown);
    return { problems: [output.trim()], notes: [] };
  }
}
