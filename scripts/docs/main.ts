// `npm run docs`: the documentation as a site with search, in dist/docs.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { outputError } from "../../src/flags/option-values.ts";
import { buildSite } from "./build-site.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const command = new Command("docs")
  .configureOutput({ outputError })
  .option("--out <folder>", "folder to write, replaced if it exists", join(root, "dist/docs"))
  .option("--source <url>", "where the repository's files are shown, such as https://github.com/OWNER/NAME/blob/main")
  .parse();
const { out, source } = command.opts<{ out: string; source?: string }>();
const count = await buildSite({ root, out, source: source?.replace(/\/$/, "") ?? null });
process.stdout.write(`${count} pages: ${join(out, "index.html")}\n`);
