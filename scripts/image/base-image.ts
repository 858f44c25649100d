import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const DOCKERFILE = fileURLToPath(new URL("../../Dockerfile", import.meta.url));

/** The image on which the Dockerfile's last stage builds, by its digest: the default base of `npm run image`. */
export async function baseImage(): Promise<string> {
  const lines = (await readFile(DOCKERFILE, "utf8")).split("\n");
  const [, base] = /^FROM (\S+)/.exec(lines.findLast((line) => line.startsWith("FROM ")) ?? "") ?? [];
  if (base === undefined) throw new TypeError(`${DOCKERFILE} has no FROM`);
  return base;
}
