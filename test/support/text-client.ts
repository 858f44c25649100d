import type { KubeClient, PatchType } from "../../src/cluster/client/create-client.ts";

/** A client for tests, which write paths as plain texts, also with a query. */
export interface TextClient {
  get<T>(path: string): Promise<T | null>;
  create<T>(path: string, body: unknown): Promise<T>;
  replace<T>(path: string, body: unknown): Promise<T>;
  patch<T>(path: string, type: PatchType, body: unknown): Promise<T>;
  remove(path: string): Promise<boolean>;
}

export const textClient = (client: KubeClient): KubeClient & TextClient => client;
