import { buildBundle } from "../bundle/build-bundle.ts";
import { pushBundle } from "../bundle/push-bundle.ts";
import { sourcesHash } from "../bundle/sources-hash.ts";
import type { Stage } from "./launch.ts";

export interface PublishBundleInput {
  opa: string;
  crane: string;
  /** Folder of the policies. */
  source: string;
  /** Folder of the catalog. */
  catalog: string;
  /** Resolves to `host:port` when the registry answers; building need not wait for it. */
  registry: Promise<string>;
}

/** Builds the policy bundle, pushes it and returns its reference by digest. Errors: BUNDLE_…. */
export async function publishBundle(stage: Stage, input: PublishBundleInput): Promise<string> {
  const { opa, crane, source, catalog } = input;
  const { path } = await buildBundle({
    opa,
    source,
    catalog,
    output: stage.paths.bundle,
    revision: await sourcesHash([source, catalog]),
  });
  const ref = `${await input.registry}/policies/landfall:local`;
  return (await pushBundle({ crane, file: path, ref, plainHttp: true })).ref;
}
