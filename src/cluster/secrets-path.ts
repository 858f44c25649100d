import { type ApiPath, apiPath } from "./api-path.ts";

/** The Secrets of a namespace. Throws REL_PATH. */
export const secretsPath = (namespace: string): ApiPath => apiPath`/api/v1/namespaces/${namespace}/secrets`;
