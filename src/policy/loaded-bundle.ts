import type { CatalogView } from "../model/places/catalog.ts";
import type { OtherIdentity } from "../model/bundle-format/other-bundle.ts";
import type { MessageTemplates, PolicyInput, PolicyResult } from "../model/policy.ts";

/** Compiled WASM with the hash of its source: a process that loads the same policies again need not compile them again. */
export interface CompiledPolicy {
  /** SHA-256 of the module's bytes. */
  readonly hash: string;
  readonly module: WebAssembly.Module;
}

/** A bundle that was loaded and passed a probe. Replaced as a whole, never changed. */
export interface LoadedBundle {
  /** Its reference, as given by the caller. */
  readonly ref: string;
  /** `sha256:…` of the tarball. */
  readonly digest: string;
  /** The revision in its manifest. */
  readonly revision: string;
  /** Seconds since 1970; null for never. */
  readonly expires: number | null;
  readonly compiled: CompiledPolicy;
  readonly catalog: CatalogView;
  /** The platform team's templates for denials; null if there are none. */
  readonly texts: MessageTemplates | null;
  /** The additional bundles that decide together with this one; empty for none. */
  readonly others: readonly OtherIdentity[];
  /** Names of configured but missing bundles. */
  readonly absent: readonly string[];
  /** Evaluates the policies for `input`. Synchronous. Throws POL_EVALUATION, POL_RESULT. */
  evaluate(input: PolicyInput): PolicyResult;
}
