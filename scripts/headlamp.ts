// `npm run headlamp -- [FOLDER]`: builds the plugin for Headlamp into a folder (default: dist/headlamp/landfall). Prints the folder.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { lineOf } from "../src/errors.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

async function main(): Promise<void> {
  const out = resolve(process.argv[2] ?? join(root, "dist/headlamp/landfall"));
  await mkdir(out, { recursive: true });
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", out, "--emptyOutDir", "--logLevel", "warn"];
  // Another NODE_ENV of the caller would build for React's development runtime, which Headlamp does not give.
  await execa(process.execPath, args, { cwd: join(root, "web/headlamp"), env: { NODE_ENV: "production" } });
  const { version, description, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  // Headlamp reads the plugin's name from it.
  const about = { name: "landfall", version, description, license, main: "main.js" };
  await writeFile(join(out, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
  process.stdout.write(`${out}\n`);
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
}
