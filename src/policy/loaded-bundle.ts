import type { CatalogView } from "../model/catalog.ts";
import type { OtherIdentity } from "../model/bundle-format/other-bundle.ts";
import type { MessageTemplates, PolicyInput, PolicyResult } from "../model/policy.ts";

/** Compiled WASM, with what it was compiled of: another thread that has the same policies need not compile them again. */
export interface CompiledPolicy {
  /** SHA-256 of the module's bytes. */
  readonly hash: string;
  readonly module: WebAssembly.Module;
}

/** A bundle that loaded and answered a probe. Replaced as a whole, never changed. */
export interface LoadedBundle {
  /** Where it came from, as the caller named it. */
  readonly ref: string;
  /** `sha256:…` of the tarball. */
  readonly digest: string;
  /** The revision in its manifest. */
  readonly revision: string;
  readonly compiled: CompiledPolicy;
  readonly catalog: CatalogView;
  /** The platform team's own words for denials; null where it has none. */
  readonly texts: MessageTemplates | null;
  /** The bundles that decide together with this one; empty for none. */
  readonly others: readonly OtherIdentity[];
  /** Names of bundles that are set up, but not there. */
  readonly absent: readonly string[];
  /** What the policies say about `input`. Synchronous. Throws POL_EVALUATION, POL_RESULT. */
  evaluate(input: PolicyInput): PolicyResult;
}
