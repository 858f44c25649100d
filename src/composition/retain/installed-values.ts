import type { CompositionContext } from "../context.ts";
import { valuesIn } from "../helm/stored-release.ts";

type Values = Record<string, unknown>;

/** What was installed last, and before: the object itself can have been changed after that. */
export async function installedValues(
  { records }: Pick<CompositionContext, "records">,
  namespace: string,
  release: string,
): Promise<Values[]> {
  const { revisions = [] } = (await records.read(namespace, release)) ?? {};
  return revisions.map((revision) => valuesIn(revision.release)).filter((values) => Object.keys(values).length > 0);
}

/** Whether an uninstall of a release with these values leaves the machine at the provider. */
export const retainsIn = (values: Values): boolean => values["deletionPolicy"] === "retain";
