import { type ApiPath, below } from "../../../cluster/api-path.ts";
import { secretsPath } from "../../../cluster/secrets-path.ts";
import { RECORD_PREFIX, SIGNATURE_ANNOTATION } from "../../../composition/record/record-secret.ts";
import { isSignedContent, signContent } from "../../../composition/record/release-record.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import type { SignContext } from "./judge-signature.ts";
import type { KeyCluster } from "./open-cluster.ts";
import { stringOf } from "../../../model/json.ts";

const signatureOf = ({ metadata }: Resource): string => metadata.annotations?.[SIGNATURE_ANNOTATION] ?? "";
const keyOf = (secret: Resource): string => signatureOf(secret).split(".")[0] ?? "";

/** The name that a record is signed for; null for another Secret. */
function namedBy({ metadata }: Resource): { namespace: string; release: string } | null {
  const { name = "", labels = {} } = metadata;
  const namespace = labels["landfall.dev/namespace"];
  if (!name.startsWith(RECORD_PREFIX) || namespace === undefined) return null;
  return { namespace, release: name.slice(`${RECORD_PREFIX}${namespace}.`.length) };
}

/** The patch that signs a record again; null for one that neither the ring nor a lost key signed. */
function resigned(secret: Resource, { ring, lost }: SignContext): object | null {
  const of = namedBy(secret);
  const content = Buffer.from(stringOf(secret.data?.["record"]), "base64").toString("latin1");
  if (of === null || !(isSignedContent(ring, of, content, signatureOf(secret)) || lost.has(keyOf(secret)))) return null;
  const annotations = { [SIGNATURE_ANNOTATION]: signContent(ring[0], of, content) };
  return { metadata: { resourceVersion: secret.metadata.resourceVersion, annotations } };
}

/** Signs the records of releases again that another key signed. Returns their names. */
export async function resignRecords(
  { client, systemNamespace, secrets }: KeyCluster,
  context: SignContext,
  write: boolean,
): Promise<string[]> {
  const pathOf = (name: string): ApiPath => below(secretsPath(systemNamespace), name);
  const signed: string[] = [];
  for (const secret of await secrets()) {
    const { name = "" } = secret.metadata;
    if (namedBy(secret) === null || keyOf(secret) === context.ring[0].id) continue;
    // The list has metadata alone.
    const whole = await client.get<Resource>(pathOf(name));
    const patch = whole === null ? null : resigned(whole, context);
    if (patch === null) continue;
    if (write) await client.patch(pathOf(name), "merge", patch);
    signed.push(name);
  }
  return signed;
}
