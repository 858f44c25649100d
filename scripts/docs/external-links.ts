// `npm run check:links`: asks for every address outside that the documentation links to. Needs the network, so that it is no
// part of `npm run check`; a scheduled workflow runs it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles } from "../list-files.ts";
import { addressesIn, brokenAddresses } from "./broken-addresses.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const files = await listFiles(root, ["*.md"]);
const found = new Map<string, string>();
for (const file of files) {
  for (const address of addressesIn(await readFile(join(root, file), "utf8"))) found.set(address, file);
}
const problems = await brokenAddresses([...found.keys()]);
for (const { address, detail } of problems) {
  process.stdout.write(`${found.get(address) ?? ""}: ${address}: ${detail}\n`);
}
process.stdout.write(`${found.size} addresses, ${problems.length} broken\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
