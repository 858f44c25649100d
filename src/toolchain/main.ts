// `npm run tools [-- NAME…]`: finds, downloads or builds the usual programs, or those that are named.
import Table from "cli-table3";
import { LandfallError, lineOf } from "../errors.ts";
import { neutralise } from "../model/text/neutralise.ts";
import { readManifest, resolveTool } from "./resolve-tool.ts";
import { defaultToolchain } from "./tool-path.ts";

try {
  const chain = defaultToolchain();
  const named = new Set(process.argv.slice(2));
  const known = readManifest(chain.toolsFolder);
  const unknown = [...named].find((name) => !known.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw new LandfallError("TOOL_MISSING", { tool: unknown, version: "", detail: "tools/tools.json does not pin it" });
  const wanted = known.filter(({ name, onDemand = false }) => (named.size === 0 ? !onDemand : named.has(name)));
  const tools = await Promise.all(wanted.map(({ name }) => resolveTool(name, chain)));
  const table = new Table({ head: ["tool", "version", "source", "path"], style: { head: [], border: [] } });
  for (const { name, version, source, path } of tools) table.push([name, version, source, path]);
  process.stdout.write(`${table.toString()}\n`);
} catch (error) {
  process.stderr.write(`${neutralise(lineOf(error))}\n`);
  process.exitCode = 1;
}
