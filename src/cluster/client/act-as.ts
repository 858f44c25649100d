import type { RestConfig } from "./rest-config.ts";

/** The same connection with the rights of another user, whom the API server lets these credentials impersonate. */
export const actAs = (config: RestConfig, user: string): RestConfig => ({
  ...config,
  headers: async () => ({ ...(await config.headers()), "impersonate-user": user }),
});
