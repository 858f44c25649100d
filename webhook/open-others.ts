import { join } from "node:path";
import { openStore } from "../src/bundle/bundle-store.ts";
import { openSource } from "../src/bundle/open-source.ts";
import type { OtherSettings } from "../src/bundle/read-settings.ts";
import type { RegistryOptions } from "../src/bundle/registry/registry-options.ts";
import type { Trust } from "../src/bundle/signature/trust.ts";
import type { Beside, OtherOptions } from "./bundle-watch/bundle-set.ts";
import type { OtherInThread } from "./decisions/messages.ts";

/** The bundles beside the platform's, each with its source and its place on disk. Throws BUNDLE_REFERENCE. */
export const openOthers = (
  settings: readonly OtherSettings[],
  registry: RegistryOptions,
  dataDir: string,
): Promise<OtherOptions[]> =>
  Promise.all(
    settings.map(async ({ trust, ref, ...rest }) => ({
      ...rest,
      source: await openSource(ref, registry, trust),
      store: openStore(join(dataDir, "bundles", "beside", rest.name)),
    })),
  );

/** Images were verified when they were fetched; a thread looks at the files' own signatures, for which keys are enough. */
export const filesTrust = (trust: Trust): Trust => ({ ...trust, identities: [], root: null });

/** What a thread gets of them. */
export const inThread = ({ others }: Beside, settings: readonly OtherSettings[]): OtherInThread[] =>
  others.flatMap(({ name, kind, ref, tarball }) =>
    settings.flatMap((known) =>
      known.name === name
        ? [
            {
              bytes: tarball.bytes,
              signed: tarball.signed,
              ref,
              expected: { name, kind },
              trust: filesTrust(known.trust),
            },
          ]
        : [],
    ),
  );
