import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { sha256Digest } from "../model/sha256.ts";
import { readTar, writeTar } from "../model/bundle-format/tar.ts";
import type { BuiltBundle } from "./build-bundle.ts";
import type { CatalogPart, ImageContent } from "./catalog/catalog-part.ts";
import { checkCatalog } from "./catalog/check-catalog.ts";
import { readCatalog } from "./catalog/read-catalog.ts";
import { partContent } from "./part-content.ts";
import { runProgram } from "./run-program.ts";

/** A data image's metadata. */
export interface ImageCard {
  name: string;
  /** Date of the data, RFC 3339 in UTC. */
  date: string;
  /** Maximum age; null for no limit. */
  freshHours: number | null;
  revision: string;
}

/** A part of the catalog, with the families of types that the policies in `source` allow. Throws BUNDLE_DATA, BUNDLE_BUILD. */
export async function readPart(part: CatalogPart, catalog: string, source: string): Promise<ImageContent> {
  const files = await readCatalog(catalog);
  checkCatalog(files, catalog);
  return partContent(part, files, source);
}

/** The data of a folder with a `.manifest` that names its roots, combined by opa. Throws BUNDLE_BUILD. */
export async function readFolder(opa: string, folder: string): Promise<ImageContent> {
  const temporary = await mkdtemp(join(tmpdir(), "landfall-data-"));
  try {
    const output = join(temporary, "data.tar.gz");
    const args = ["build", "--bundle", ".", "--output", output];
    const { code, stdout, stderr } = await runProgram(opa, args, { cwd: folder });
    if (code !== 0) throw new LandfallError("BUNDLE_BUILD", { detail: (stderr + stdout.toString("utf8")).trim() });
    const files = readTar(await readFile(output));
    const [manifest, data] = [".manifest", "data.json"].map(
      (name): unknown => JSON.parse(files.get(name)?.toString("utf8") ?? "{}") as unknown,
    );
    const roots = isObject(manifest) && Array.isArray(manifest["roots"]) ? manifest["roots"].map(textOf) : [];
    if (roots.length === 0 || roots.includes(""))
      throw new LandfallError("BUNDLE_BUILD", { detail: `${folder}/.manifest has to name the roots of the data` });
    return { roots, data: isObject(data) ? data : {}, dates: {}, places: null };
  } catch (thrown) {
    if (thrown instanceof LandfallError) throw thrown;
    throw new LandfallError("BUNDLE_BUILD", { detail: messageOf(thrown) }, thrown);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Writes a tarball with data only. Equal content gives equal bytes. */
export async function buildDataImage(content: ImageContent, card: ImageCard, output: string): Promise<BuiltBundle> {
  const { name, date, freshHours, revision } = card;
  const { roots, data, dates, places } = content;
  const landfall = {
    ...{ kind: "data", name, date },
    ...(freshHours === null ? {} : { freshHours }),
    ...(Object.keys(dates).length === 0 ? {} : { dates }),
    ...(places === null ? {} : { places }),
  };
  const manifest = { revision, roots, rego_version: 1, metadata: { landfall } };
  const bytes = writeTar(
    new Map([
      ["/.manifest", Buffer.from(JSON.stringify(manifest))],
      ["/data.json", Buffer.from(JSON.stringify(data))],
    ]),
  );
  await mkdir(dirname(output), { recursive: true });
  await writeFile(output, bytes);
  return { path: output, digest: sha256Digest(bytes), revision };
}
