import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseDocument } from "yaml";
import { LandfallError } from "../../src/errors.ts";

const BY_DIGEST = /^(?<repository>[^@\s]+?)(?::[\w.-]+)?@(?<digest>sha256:[0-9a-f]{64})$/;

/**
 * Copies a chart into a folder, with this image as its default, and answers the copy's path: who installs a released chart need not look
 * the image up. Throws CLI_USAGE if the image is not named by its digest, or the chart's values have none.
 */
export async function chartWithImage(chart: string, image: string, folder: string): Promise<string> {
  const { repository, digest } = BY_DIGEST.exec(image)?.groups ?? {};
  if (repository === undefined || digest === undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: `--image ${image} names no image by its digest: write REGISTRY/NAME@sha256:…, which npm run image prints`,
    });
  const copy = join(folder, basename(chart));
  await cp(chart, copy, { recursive: true });
  const file = join(copy, "values.yaml");
  const values = parseDocument(await readFile(file, "utf8"));
  if (!values.hasIn(["image", "repository"]))
    throw new LandfallError("CLI_USAGE", { detail: `${chart} has no image.repository in its values: omit --image` });
  values.setIn(["image", "repository"], repository);
  values.setIn(["image", "tag"], "");
  values.setIn(["image", "digest"], digest);
  await writeFile(file, values.toString({ lineWidth: 0 }));
  return copy;
}
