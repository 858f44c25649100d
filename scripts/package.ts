// `npm run package -- [FOLDER]`: makes the npm package of the command line, and packs it into a tarball in the folder (default: dist).
// Prints the tarball's path.
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { lineOf } from "../src/errors.ts";
import { assemblePackage } from "./npm-package/assemble-package.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

async function main(): Promise<void> {
  const out = resolve(process.argv[2] ?? join(root, "dist"));
  const folder = join(out, "package");
  await mkdir(out, { recursive: true });
  await assemblePackage(root, folder);
  const { stdout } = await execa("npm", ["pack", folder, "--json", "--pack-destination", out], { cwd: out });
  const [packed] = JSON.parse(stdout) as { filename: string; size: number; unpackedSize: number; entryCount: number }[];
  if (packed === undefined) return;
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  process.stderr.write(
    `${mib(packed.size)}, ${mib(packed.unpackedSize)} unpacked, ${String(packed.entryCount)} files\n`,
  );
  process.stdout.write(`${join(out, packed.filename)}\n`);
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
}
