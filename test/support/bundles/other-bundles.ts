import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildTeamBundle } from "../../../src/bundle/build-team-bundle.ts";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

/** A data image with the given data. */
export function dataImage(
  card: object,
  roots: readonly string[],
  data: object,
  files: Record<string, string> = {},
): Buffer {
  const landfall = { kind: "data", date: "2026-11-20T00:00:00Z", ...card };
  const manifest = { revision: "r1", roots, rego_version: 1, metadata: { landfall } };
  const all: Record<string, string> = {
    ".manifest": JSON.stringify(manifest),
    "data.json": JSON.stringify(data),
    ...files,
  };
  return writeTar(new Map(Object.entries(all).map(([name, body]) => [`/${name}`, Buffer.from(body)])));
}

/** Carbon intensities by zone that replace the platform's. */
export const carbonImage = (yearly: number, card: object = {}): Buffer => {
  const profile = { yearly, hourOfWeek: null, source: "test" };
  const zones = ["SE-SE3", "IT-NO", "DE", "FR"].map((zone) => [zone, profile] as const);
  return dataImage({ name: "carbon", ...card }, ["landfall/catalog/carbon"], {
    landfall: { catalog: { carbon: Object.fromEntries(zones) } },
  });
};

/** A team's bundle with these files. */
export async function teamBundle(name: string, files: Record<string, string>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-team-"));
  try {
    const source = join(folder, "source");
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(source, file)), { recursive: true });
      await writeFile(join(source, file), text);
    }
    const output = join(folder, "team.tar.gz");
    const capabilities = "policies/capabilities.json";
    await buildTeamBundle({ opa: await toolPath("opa"), source, capabilities, name, revision: "t1", output });
    return await readFile(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rules of a security team: an owner is required, nothing on AWS, and a warning for everything else. */
export const SECURITY = `package landfall.custom.security

import data.landfall.catalog

denials contains denial if {
	not input.metadata.labels.owner
	denial := {"code": "SEC_OWNER", "message": "every workload needs the label owner", "field": "metadata.labels.owner"}
}

denials contains entry if some entry in data.acme.blocked[input.metadata.name]

warnings contains {"code": "SEC_LOOK", "message": "security looks at it"}

refused[place.key] := "not reviewed yet" if {
	some place in catalog.places
	place.provider == "aws"
}
`;
