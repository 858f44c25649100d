import { readiness } from "../composition/status/readiness.ts";
import type { Resource } from "../composition/types.ts";
import type { Api } from "./connect-api.ts";
import type { ExampleResource } from "./example-types.ts";
import type { Composition } from "./outcome-of.ts";

/** The provider resources that an object's status names, each with its readiness; one that is gone is not ready. */
export async function readResources(api: Api, object: Composition): Promise<ExampleResource[]> {
  const managed = object.status?.managed ?? [];
  return Promise.all(
    managed.map(async ({ apiVersion, resource, name, path }) => {
      const answer = await api.request(path);
      if (answer.status >= 300) return { apiVersion, kind: resource, name, ready: false };
      const found = answer.body as unknown as Resource;
      return { apiVersion, kind: found.kind, name, ready: readiness(found).ready };
    }),
  );
}
