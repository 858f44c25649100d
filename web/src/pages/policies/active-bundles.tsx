import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Policies, QuarantinedBundle, ReportedBundle } from "../../../../src/console/contract/policies.ts";
import { clusterQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Time } from "../../ui/figures.tsx";

/** `sha256:` and 64 digits, of which the first ones tell bundles apart. */
const Digest = ({ digest }: { digest: string }): ReactElement => (
  <code title={digest}>{digest === "" ? "–" : digest.replace("sha256:", "").slice(0, 12)}</code>
);

/** Names of people and services as they are, and keys by their first digits. */
function Signers({ signers }: { signers: readonly string[] }): ReactElement {
  if (signers.length === 0) return <>no one named</>;
  return (
    <span title={signers.join(", ")}>
      {signers.map((signer) => signer.replace(/sha256:([0-9a-f]{12})[0-9a-f]{52}/, "$1…")).join(", ")}
    </span>
  );
}

const ACTIVE: Column<ReportedBundle>[] = [
  { id: "bundle", header: "Bundle", cell: ({ bundle }) => (bundle === "" ? "platform" : bundle) },
  { id: "revision", header: "Revision", cell: ({ revision }) => <code>{revision}</code> },
  { id: "content", header: "Digest", cell: ({ content }) => <Digest digest={content} /> },
  { id: "image", header: "Image", cell: ({ digest }) => <Digest digest={digest} /> },
  { id: "signers", header: "Signed by", cell: ({ signers }) => <Signers signers={signers} /> },
  { id: "at", header: "Active since", cell: ({ at }) => <Time at={at} relative /> },
];

const REFUSED: Column<QuarantinedBundle>[] = [
  { id: "digest", header: "Digest", cell: ({ digest }) => <Digest digest={digest} /> },
  { id: "code", header: "Code", cell: ({ code }) => <code>{code}</code> },
  { id: "reason", header: "Reason", cell: ({ reason }) => <span className="message">{reason}</span> },
  { id: "at", header: "Since", cell: ({ at }) => <Time at={at} relative /> },
];

/** Events do not have the digest of the content. */
const isOwn = ({ content, revision }: ReportedBundle, own: Policies["own"]): boolean =>
  content === "" ? revision === own.revision : content === own.digest;

function Own({ data }: { data: Policies }): ReactElement {
  const { own, followed, audited, active } = data;
  const decides = active.find(({ bundle }) => bundle === "");
  return (
    <dl className="facts">
      <div>
        <dt>The webhook follows</dt>
        <dd>{followed ?? "not known"}</dd>
      </div>
      <div>
        <dt>This console explains with</dt>
        <dd>
          revision <code>{own.revision}</code>, digest <Digest digest={own.digest} />
          {decides === undefined || isOwn(decides, own) ? null : (
            <span className="state state-failing">
              another one than the webhook decides by: name that with --bundle
            </span>
          )}
        </dd>
      </div>
      <div>
        <dt>It expires</dt>
        <dd>{own.expires === null ? "never" : <Time at={own.expires} relative />}</dd>
      </div>
      <div>
        <dt>The last audit asked</dt>
        <dd>
          {audited.length === 0
            ? "no report can be read"
            : audited.map(({ digest, namespaces }) => (
                <span key={digest}>
                  <Digest digest={digest} /> for {namespaces} {namespaces === 1 ? "namespace" : "namespaces"}{" "}
                </span>
              ))}
        </dd>
      </div>
    </dl>
  );
}

/** The source of the bundles, and what is not known. */
function Basis({ data: { reportedBy, eventsSince, audited, unread } }: { data: Policies }): ReactElement {
  const { data: cluster } = useQuery(clusterQuery());
  if (cluster?.recorded != null)
    return <p className="quiet">The recorded files say nothing of the webhook&apos;s bundles.</p>;
  const refused = unread.length === 0 ? "" : ` You are not allowed to read: ${unread.join(", ")}.`;
  if (reportedBy === "report") return <p className="quiet">From the report that the webhook keeps.{refused}</p>;
  return (
    <p className="quiet">
      From the Events of the webhook, which the API server keeps for an hour by default.{" "}
      {eventsSince === null ? (
        `There are none now.${audited.length === 0 ? "" : " The bundle that the last audit asked, above, is a lasting record."}`
      ) : (
        <>
          They reach back to <Time at={eventsSince} relative />: a bundle that became active before, and was not
          reported since, is not shown.
        </>
      )}
      {refused}
    </p>
  );
}

/** The bundles that decide, with their signers, and those that were refused. */
export function ActiveBundles({ data }: { data: Policies }): ReactElement {
  const { active, quarantined } = data;
  return (
    <>
      <section>
        <h2>Bundles</h2>
        <Own data={data} />
      </section>
      <section>
        <h2>Active</h2>
        {active.length === 0 ? (
          <p className="quiet">Nothing names an active bundle.</p>
        ) : (
          <DataTable caption="Active bundles" columns={ACTIVE} rows={active} keyOf={({ bundle }) => bundle} />
        )}
      </section>
      <section>
        <h2>In quarantine</h2>
        {quarantined.length === 0 ? (
          <p className="quiet">Nothing names a bundle that the webhook refuses.</p>
        ) : (
          <DataTable
            caption="Bundles in quarantine"
            columns={REFUSED}
            rows={quarantined}
            keyOf={({ digest, code }) => `${digest} ${code}`}
          />
        )}
        <Basis data={data} />
      </section>
    </>
  );
}
