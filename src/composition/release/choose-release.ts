import { describe, type ErrorCode } from "../../errors.ts";
import type { Resource } from "../types.ts";
import type { FoundRelease, Judged } from "./find-release.ts";
import { LABEL } from "../keys.ts";
import { releaseName } from "./find-release.ts";
import { describeOwner } from "../record/release-owner.ts";

export interface ChosenRelease {
  name: string;
  /** Why the label is ignored, for an Event; null if it is followed or missing. */
  refused: { code: ErrorCode; message: string } | null;
}

function refusalOf(label: string, release: string, labelled: Judged | null): ChosenRelease["refused"] {
  const code = labelled?.claim === "foreign" ? "REL_RELEASE_TAKEN" : "REL_RELEASE_LABEL";
  const { message, remedy } = describe(code, { label, release, owner: describeOwner(labelled?.owner ?? null) });
  return { code, message: `${message}; ${remedy} [${code}]` };
}

/** Krateo's names: the composition's, alone or with eight characters. If it is free, Krateo was about to install it. */
const isKrateos = (label: string, name: string): boolean =>
  label === name || (label.startsWith(`${name}-`) && /^[a-z0-9]{8}$/.test(label.slice(name.length + 1)));

function newRelease({ name = "", uid = "" }: Resource["metadata"], label: string, labelled: Judged | null): string {
  return labelled?.claim === "free" && isKrateos(label, name) ? label : releaseName(name, uid);
}

/** The name of the composition's release: that of its installed release, the free one in its label, or a new one. Pure. */
export function chooseRelease({ metadata }: Resource, { own, labelled }: FoundRelease): ChosenRelease {
  const label = metadata.labels?.[LABEL.releaseName] ?? "";
  const release = own ?? newRelease(metadata, label, labelled);
  const refused = label === "" || label === release ? null : refusalOf(label, release, labelled);
  return { name: release, refused };
}
