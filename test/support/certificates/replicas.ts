// Replicas of the webhook in one process, on an API server that keeps objects by their paths and time that tests move. They read and
// write as the real ones do; a replica can be killed after any of its writes.
import { X509Certificate } from "node:crypto";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { isObject } from "../../../src/model/json.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { CERTIFICATE_SECRET, REPLICAS_CONFIGMAP } from "../../../src/model/names.ts";
import { fingerprintsIn, issuersOf } from "../../../webhook/certificates/authorities.ts";
import { type CertificateSource, openCertificateSecret } from "../../../webhook/certificates/certificate-secret.ts";
import { keepCertificate, type KeptCertificate } from "../../../webhook/certificates/keep-certificate.ts";
import { openReplicaReports } from "../../../webhook/certificates/replica-reports.ts";
import type { ServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { readStored, type Rotation } from "../../../webhook/certificates/stored-certificate.ts";
import { bundleIn } from "../../../webhook/registration/configuration-fault.ts";
import {
  keepRegistered,
  type KeepOptions,
  registerFirst,
  type Registration,
} from "../../../webhook/registration/keep-registered.ts";

const NAMESPACE = "landfall-system";
export const NAME = "landfall-webhook.landfall-system.svc";
export const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/${CERTIFICATE_SECRET}`;
export const REPORTS = `/api/v1/namespaces/${NAMESPACE}/configmaps/${REPLICAS_CONFIGMAP}`;
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
export const CONFIGURATIONS = [
  `${ADMISSION}/mutatingwebhookconfigurations/placement.landfall.dev`,
  `${ADMISSION}/validatingwebhookconfigurations/guard.landfall.dev`,
] as const;

/** An API server's view of a configuration is at most so old, in ms; less than replicas wait. */
const LAG_MS = 8000;

const conflict = (): ApiError => new ApiError(409, { action: "write", detail: "conflict" });

function merged(before: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const old = isObject(before) ? before : {};
  const next = Object.entries(patch).map(([key, value]) => [key, merged(old[key], value)] as const);
  const all = Object.entries({ ...old, ...Object.fromEntries(next) });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

const later = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));

/** An API server with conflicts of versions. `wrote` is called after each write. */
function apiServer(wrote: (path: string, object: Resource | null) => void) {
  const objects = new Map<string, Resource>([
    [`/api/v1/namespaces/${NAMESPACE}`, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }],
  ]);
  let version = 0;
  function store(path: string, body: Resource): Resource {
    version += 1;
    const uid = objects.get(path)?.metadata.uid ?? `uid-${String(version)}`;
    const stored = structuredClone({ ...body, metadata: { ...body.metadata, uid, resourceVersion: String(version) } });
    objects.set(path, stored);
    wrote(path, stored);
    return structuredClone(stored);
  }
  function change(path: string, body: Resource, next: (before: Resource) => Resource): Resource {
    const before = objects.get(path);
    if (before === undefined) throw new ApiError(404, { action: "write", detail: "not found" });
    const wanted = (body as Partial<Resource>).metadata?.resourceVersion;
    if (wanted !== undefined && wanted !== before.metadata.resourceVersion) throw conflict();
    if (body.type !== undefined && body.type !== before.type)
      throw new ApiError(422, { action: "write", detail: "type: Invalid value: field is immutable" });
    return store(path, next(before));
  }
  const client = {
    get: (path: string) => Promise.resolve(structuredClone(objects.get(path) ?? null)),
    create: (path: string, body: Resource) =>
      later(() => {
        const own = `${path}/${body.metadata.name ?? ""}`;
        if (objects.has(own)) throw conflict();
        return store(own, body);
      }),
    replace: (path: string, body: Resource) => later(() => change(path, body, () => body)),
    patch: (path: string, type: string, body: Resource) =>
      later(() =>
        change(path, body, (old) => (type === "apply" ? { ...old, ...body } : (merged(old, body) as Resource))),
      ),
  } as unknown as KubeClient;
  return { objects, client, store };
}

export interface Replica {
  name: string;
  certificate: KeptCertificate;
  /** What it serves. */
  serves: () => ServingCertificate;
  look: () => Promise<void>;
  restored: () => number;
  events: string[];
}

/** Its next call of the API server fails as if the process had ended; `afterWrites` more are done before. */
function mortal(client: KubeClient, budget: { writes: number }): KubeClient {
  const call =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>, isWrite: boolean) =>
    (...args: A): Promise<R> => {
      if (budget.writes <= 0) return Promise.reject(new ApiError(0, { action: "call", detail: "killed" }));
      if (isWrite) budget.writes -= 1;
      return method(...args);
    };
  return {
    ...client,
    get: call(client.get.bind(client), false),
    create: call(client.create.bind(client), true),
    replace: call(client.replace.bind(client), true),
    patch: call(client.patch.bind(client), true),
  } as KubeClient;
}

export interface StartOptions {
  /** So many writes are done, then every call fails. */
  writes?: number;
  source?: CertificateSource;
}

/** Replicas and their API server. `untrusted` lists each moment at which a ready replica served what an API server did not trust. */
export function openReplicas() {
  let elapsed = 0;
  const began = Date.now();
  /** What the configurations were, with the time until which an API server may still think so. */
  let history: { path: string; fingerprints: readonly string[]; until: number }[] = [];
  const replicas = new Map<string, Replica>();
  const untrusted: string[] = [];
  const steps: (Rotation | null)[] = [];

  function check(): void {
    history = history.filter(({ until }) => until > elapsed);
    for (const { name, certificate, serves } of replicas.values()) {
      if (certificate.problem() !== null) continue;
      const { cert, ca } = serves();
      const issuers = fingerprintsIn(issuersOf(cert, ca));
      const lost = history.find(({ fingerprints }) => !issuers.some((one) => fingerprints.includes(one)));
      if (lost !== undefined) untrusted.push(`${name} at ${String(elapsed)}: ${lost.path}`);
    }
  }

  const server = apiServer((path, object) => {
    const at = CONFIGURATIONS.findIndex((one) => one === path);
    if (at < 0) return;
    for (const one of history) if (one.path === path) one.until = Math.min(one.until, elapsed + LAG_MS);
    history.push({ path, fingerprints: fingerprintsIn(bundleIn(object) ?? ""), until: Infinity });
    check();
  });

  /** The first look and registration, as webhook/main.ts does them. Ready only after. */
  async function start(name: string, { writes = Infinity, source: given }: StartOptions = {}): Promise<Replica> {
    const client = mortal(server.client, { writes });
    const times = { nowMs: () => began + elapsed, elapsedMs: () => elapsed };
    const events: string[] = [];
    const source =
      given ??
      openCertificateSecret({
        ...{ client, namespace: NAMESPACE, name: CERTIFICATE_SECRET, names: [NAME], ...times },
        onRestored: (detail) => events.push(detail),
        onStep: (rotation) => steps.push(rotation),
        onFailure: (thrown) => events.push(String(thrown)),
      });
    const first = await source.read();
    let served = first;
    const reports = openReplicaReports({ client, namespace: NAMESPACE, replica: name, ...times });
    const certificate = keepCertificate({
      ...{ ...times, first, source, reports, registers: true },
      onProblem: () => undefined,
      onFailure: (thrown) => events.push(String(thrown)),
    });
    certificate.follow((next) => {
      served = next;
    });
    const options: KeepOptions = {
      ...{ client, certificate, systemNamespace: NAMESPACE, everyMs: 1e9 },
      endpoint: () => {
        const { needed, tolerated } = certificate.authorities();
        const service = { namespace: NAMESPACE, name: "landfall-webhook", port: 443 };
        return { service, ca: needed, toleratedCa: tolerated };
      },
      onEvent: ({ message }) => events.push(message),
      onFailure: (thrown) => events.push(String(thrown)),
    };
    await registerFirst(options);
    const registration: Registration = keepRegistered(options);
    await registration.stop();
    const look = async (): Promise<void> => {
      await registration.look().catch((thrown: unknown) => {
        if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
      });
      check();
    };
    const replica = { name, certificate, serves: () => served, look, restored: registration.restored, events };
    replicas.set(name, replica);
    check();
    return replica;
  }

  return {
    ...{ objects: server.objects, store: server.store, client: server.client, replicas, untrusted, steps, start },
    /** Ends a replica without a word. */
    kill: (name: string) => replicas.delete(name),
    pass: (ms: number) => {
      elapsed += ms;
    },
    now: () => began + elapsed,
    bundle: (at: 0 | 1) => bundleIn(server.objects.get(CONFIGURATIONS[at]) ?? null) ?? "",
    /** All replicas look, in this order, and five seconds pass. */
    async round(order: readonly Replica[] = [...replicas.values()]): Promise<void> {
      elapsed += 5000;
      for (const replica of order) await replica.look();
    },
    /** The step of the rotation by the Secret; `none`, or `damaged`. */
    rotation(): string {
      const secret = server.objects.get(SECRET);
      try {
        return secret === undefined ? "none" : (readStored(secret, SECRET).rotation?.step ?? "none");
      } catch {
        return "damaged";
      }
    },
    leafOf: (replica: Replica) => new X509Certificate(replica.serves().cert),
  };
}

export type Replicas = ReturnType<typeof openReplicas>;
