import Table from "cli-table3";
import { lineOf } from "../errors.ts";
import { neutralise } from "../model/text/neutralise.ts";
import { readManifest, resolveTool } from "./resolve-tool.ts";
import { defaultToolchain } from "./tool-path.ts";

try {
  const chain = defaultToolchain();
  const usual = readManifest(chain.toolsFolder).filter(({ onDemand = false }) => !onDemand);
  const tools = await Promise.all(usual.map(({ name }) => resolveTool(name, chain)));
  const table = new Table({ head: ["tool", "version", "source", "path"], style: { head: [], border: [] } });
  for (const { name, version, source, path } of tools) table.push([name, version, source, path]);
  process.stdout.write(`${table.toString()}\n`);
} catch (error) {
  process.stderr.write(`${neutralise(lineOf(error))}\n`);
  process.exitCode = 1;
}
