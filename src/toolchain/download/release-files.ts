import { goPlatform } from "../cache-paths.ts";
import type { ToolSignature, ToolSpec } from "../tool-spec.ts";

const MACHINES = new Map([
  ["amd64", "x86_64"],
  ["arm64", "arm64"],
]);

/** The files of a release for this machine. */
export interface ReleaseFiles {
  url: string;
  checksum: string;
  member: string | null;
  signature: ToolSignature | null;
}

/** The addresses of a program's release; null where its project publishes none for this machine: only Linux on two architectures is named. */
export function releaseFiles({ release, version, name }: ToolSpec): ReleaseFiles | null {
  const { os, arch } = goPlatform();
  const machine = MACHINES.get(arch);
  if (release === undefined || os !== "linux" || machine === undefined) return null;
  const values = new Map([
    ["version", version],
    ["tool", name],
    ...[["os", os] as const, ["arch", arch] as const, ["machine", machine] as const],
  ]);
  const fill = (text: string): string => {
    let filled = text;
    for (const [key, value] of values) filled = filled.replaceAll(`{${key}}`, value);
    return filled;
  };
  values.set("url", fill(release.url));
  const signature = release.signature;
  return {
    url: fill(release.url),
    checksum: fill(release.checksum),
    member: release.member === undefined ? null : fill(release.member),
    signature: signature === undefined ? null : filledSignature(signature, fill),
  };
}

function filledSignature(signature: ToolSignature, fill: (text: string) => string): ToolSignature {
  if ("bundle" in signature) return { ...signature, bundle: fill(signature.bundle) };
  return { ...signature, signature: fill(signature.signature), certificate: fill(signature.certificate) };
}
