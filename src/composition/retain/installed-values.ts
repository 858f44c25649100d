import type { CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import type { ReleaseRecord } from "../record/release-record.ts";

type Values = Record<string, unknown>;

/** The values of the revisions that a record has. */
export const valuesOf = (record: ReleaseRecord | null): Values[] =>
  (record?.revisions ?? [])
    .map((revision) => valuesIn(revision.release))
    .filter((values) => Object.keys(values).length > 0);

/** The values of the last installation, and of earlier ones: the object itself can have been changed after that. */
export async function installedValues(
  { records }: Pick<CompositionContext, "records">,
  namespace: string,
  release: string,
): Promise<Values[]> {
  return valuesOf(await records.read(namespace, release));
}
