import type { KubernetesObject } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import { sha256 } from "../sha256.ts";

/** Most characters of a value of `landfall.dev/run`. */
export const RUN_LENGTH = 63;

/** Replaces a value beyond the limit, from an earlier version or written while no webhook was called. Applying it again changes nothing. */
export const shortRun = (run: string): string =>
  run.length <= RUN_LENGTH ? run : `sha256-${sha256(run).slice(0, RUN_LENGTH - "sha256-".length)}`;

/** Which run an object asks for: the value of `landfall.dev/run`, at most RUN_LENGTH characters; empty without it. */
export const runOf = ({ metadata }: Pick<KubernetesObject, "metadata">): string =>
  shortRun(metadata.annotations?.[ANNOTATION.run] ?? "");
