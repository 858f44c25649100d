import { apiPath } from "../api-path.ts";
import type { KubeClient } from "./create-client.ts";

/** The name of the user that the API server takes the client for. Throws REL_API…. */
export async function readUser(client: KubeClient): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = apiPath`/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  const answer = await client.create<{ status?: { userInfo?: { username?: string } } }>(path, review);
  return answer.status?.userInfo?.username ?? "unknown";
}
