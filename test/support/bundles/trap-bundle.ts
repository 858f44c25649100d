import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildBundle } from "../../../src/bundle/build-bundle.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Loops or fails for a request with a certain tag; if the data says so, for every request or a whole namespace. */
const TRAP = `package landfall.custom.trap

_numbers := numbers.range(1, 20000)

_looping if input.spec.tags.trap == "loop"

_looping if data.landfall.trap.always

_looping if data.landfall.trap.namespace == input.namespace.name

denials contains "never" if {
	_looping
	some a in _numbers
	some b in _numbers
	some c in _numbers
	[a, b, c] == input.spec.never
}

_value := 1 if input.spec.tags.trap == "throw"

_value := 2 if input.spec.tags.trap == "throw"

denials contains "never" if _value == 3
`;

/** Builds the project's bundle with the trap, in this folder. Takes some seconds. */
export async function buildTrapBundle(folder: string): Promise<Buffer> {
  const source = join(folder, "bundle");
  await cp(join(root, "policies/bundle"), source, { recursive: true });
  await mkdir(join(source, "landfall/custom"), { recursive: true });
  await writeFile(join(source, "landfall/custom/trap.rego"), TRAP);
  const output = join(folder, "trap.tar.gz");
  const capabilities = join(root, "policies/capabilities.json");
  const opa = await toolPath("opa");
  await buildBundle({ opa, source, catalog: join(root, "catalog"), output, revision: "trap", capabilities });
  return readFile(output);
}

/** A bundle with the trap and this data for it; different data give different bundles. */
export function changedTrap(trap: Buffer, changes: Record<string, unknown>): Buffer {
  const files = readTar(trap);
  const data = JSON.parse(files.get("data.json")?.toString("utf8") ?? "{}") as { landfall: Record<string, unknown> };
  data.landfall["trap"] = changes;
  files.set("data.json", Buffer.from(JSON.stringify(data)));
  return writeTar(new Map([...files].map(([name, body]) => [`/${name}`, body])));
}
