import type { OtherSettings } from "../src/bundle/read-settings.ts";
import type { Trust } from "../src/bundle/signature/trust.ts";
import type { Beside } from "../src/bundle/follow/bundle-set.ts";
import type { OtherInProcess } from "./decisions/messages.ts";

/** The trust that a process needs. Images were verified when they were fetched; keys suffice for the signatures of files. */
export const filesTrust = (trust: Trust): Trust => ({ ...trust, identities: [], root: null });

/** The other bundles as a process gets them. */
export const inProcess = ({ others }: Beside, settings: readonly OtherSettings[]): OtherInProcess[] =>
  others.flatMap(({ name, kind, ref, tarball }) =>
    settings.flatMap((known) =>
      known.name === name
        ? [
            {
              bytes: tarball.bytes,
              signed: tarball.signed,
              ref,
              expected: { name, kind, packages: known.packages },
              namespaces: known.namespaces,
              trust: filesTrust(known.trust),
            },
          ]
        : [],
    ),
  );
