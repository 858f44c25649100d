import { hasStatus } from "./client/api-error.ts";
import type { ApiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";

/** Creates an object whose name is known. False if there is one of this name already, which stays. Throws REL_API…. */
export async function createOnce(client: KubeClient, collection: ApiPath, object: object): Promise<boolean> {
  try {
    await client.create(collection, object);
    return true;
  } catch (thrown) {
    if (hasStatus(thrown, 409)) return false;
    throw thrown;
  }
}
