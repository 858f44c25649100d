import { hasStatus } from "./client/api-error.ts";
import { COMPOSITION_GROUP, OBJECT_VERSION, SERVED_VERSIONS } from "../model/names.ts";

const [, ...EARLIER] = SERVED_VERSIONS;

/**
 * Does `work` with the newest apiVersion of the kinds that the cluster serves: during an upgrade, and with an earlier chart, it does not serve that
 * of this program. Throws what `work` throws.
 */
export async function withServedVersion<T>(
  work: (apiVersion: string) => Promise<T>,
  [version, ...earlier]: readonly [string, ...string[]] = [OBJECT_VERSION, ...EARLIER],
): Promise<T> {
  try {
    return await work(`${COMPOSITION_GROUP}/${version}`);
  } catch (thrown) {
    const [next, ...others] = earlier;
    if (next === undefined || !hasStatus(thrown, 404)) throw thrown;
    return withServedVersion(work, [next, ...others]);
  }
}
