import { join, resolve } from "node:path";
import { buildDataImage } from "../../../../bundle/build-data-image.ts";
import type { BuiltBundle } from "../../../../bundle/build-bundle.ts";
import type { CatalogFiles } from "../../../../bundle/catalog/catalog-files.ts";
import { partContent } from "../../../../bundle/part-content.ts";
import { sha256 } from "../../../../model/sha256.ts";
import { formatTime } from "../../../../model/time.ts";
import type { Cli } from "../../../cli.ts";
import { finishBundle } from "../../bundle/finish-bundle.ts";
import { pushSigned } from "../../bundle/push-signed.ts";
import { releaseFrom } from "../../bundle/release-options.ts";
import type { RefreshFlags, RefreshPart } from "./refresh-options.ts";

export interface Published extends BuiltBundle {
  /** Its reference by digest; omitted if it was not pushed. */
  pushed?: string;
}

/** Builds the data image of a part, signs it, and pushes it if the flags say so. Throws BUNDLE_…. */
export async function publishPart(
  cli: Cli,
  part: RefreshPart,
  { files, nowMs }: { files: CatalogFiles; nowMs: number },
  flags: RefreshFlags,
): Promise<Published> {
  const release = releaseFrom(flags);
  const source = resolve(flags.source ?? join(cli.root, "policies/bundle"));
  const content = await partContent(part, files, source);
  const revision = sha256(JSON.stringify(content.data)).slice(0, 16);
  const date = formatTime(Math.floor(nowMs / 1000));
  const card = { name: part, date, freshHours: flags.freshHours ?? null, revision };
  const bundle = await buildDataImage(content, card, resolve(flags.out ?? `${part}.tar.gz`));
  await finishBundle(cli, bundle, { release, signingKey: flags.signingKey });
  if (flags.push === undefined) return bundle;
  return { ...bundle, pushed: await pushSigned(cli, bundle.path, flags.push, flags) };
}
