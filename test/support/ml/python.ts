import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultCacheFolder } from "../../../src/toolchain/cache-paths.ts";
import { withLock } from "../../../src/toolchain/with-lock.ts";

export const ML = fileURLToPath(new URL("../../../ml", import.meta.url));
const REQUIREMENTS = join(ML, "requirements.txt");
/** Python versions that the pinned packages support. */
const VERSIONS = /^3\.1[12]$/;
const PROBE = "import venv, ensurepip, sys; print('%d.%d' % sys.version_info[:2])";

/** A Python with venv and pip that meets the requirements. */
export interface Python {
  command: string;
  version: string;
}

/** The machine's own Python; null if it has no supported version. */
export function findPython(): Python | null {
  for (const command of ["python3", "python3.12", "python3.11"]) {
    const { status, stdout } = spawnSync(command, ["-c", PROBE], { encoding: "utf8" });
    const version = status === 0 ? stdout.trim() : "";
    if (VERSIONS.test(version)) return { command, version };
  }
  return null;
}

/** Runs a program and returns the last line of its output; rejects with the end of its output if it fails. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let [out, all] = ["", ""];
    child.stdout.on("data", (data: Buffer) => {
      out += data.toString();
      all += data.toString();
    });
    child.stderr.on("data", (data: Buffer) => (all += data.toString()));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(out.trimEnd().split("\n").at(-1) ?? "");
      else reject(new Error(`${command} ${args.join(" ")} ended with ${String(code)}:\n${all.slice(-3000)}`));
    });
  });
}

/**
 * The programs' folder of a virtual environment with the requirements of a file, by default those of ml/: created once, in a
 * cache outside the checkout.
 */
export async function preparePython({ command, version }: Python, requirements = REQUIREMENTS): Promise<string> {
  const key = createHash("sha256").update(version).update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = join(dirname(defaultCacheFolder(process.env)), "python", `${version}-${key}`);
  const complete = join(folder, "complete");
  mkdirSync(dirname(folder), { recursive: true });
  const install = async (): Promise<void> => {
    if (existsSync(complete)) return;
    rmSync(folder, { recursive: true, force: true });
    await run(command, ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-q", "-r", requirements];
    await run(join(folder, "bin", "python"), pip);
    writeFileSync(complete, "");
  };
  await withLock(`${folder}.lock`, install, () => undefined);
  return join(folder, "bin");
}
