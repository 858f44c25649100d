import type { ReactElement } from "react";
import type { Policies, QuarantinedBundle, ReportedBundle } from "../../../../src/console/contract/policies.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Time } from "../../ui/figures.tsx";

/** `sha256:` and 64 digits, of which the first ones tell bundles apart. */
const Digest = ({ digest }: { digest: string }): ReactElement => (
  <code title={digest}>{digest === "" ? "–" : digest.replace("sha256:", "").slice(0, 12)}</code>
);

const ACTIVE: Column<ReportedBundle>[] = [
  { id: "bundle", header: "Bundle", cell: ({ bundle }) => (bundle === "" ? "platform" : bundle) },
  { id: "revision", header: "Revision", cell: ({ revision }) => <code>{revision}</code> },
  { id: "digest", header: "Digest", cell: ({ digest }) => <Digest digest={digest} /> },
  {
    id: "signers",
    header: "Signed by",
    cell: ({ signers }) => (signers.length === 0 ? "no one named" : signers.join(", ")),
  },
  { id: "at", header: "Active since", cell: ({ at }) => <Time at={at} relative /> },
];

const REFUSED: Column<QuarantinedBundle>[] = [
  { id: "digest", header: "Digest", cell: ({ digest }) => <Digest digest={digest} /> },
  { id: "code", header: "Code", cell: ({ code }) => <code>{code}</code> },
  { id: "reason", header: "Reason", cell: ({ reason }) => <span className="message">{reason}</span> },
  { id: "at", header: "Since", cell: ({ at }) => <Time at={at} relative /> },
];

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
          <code>{own.revision}</code> <Digest digest={own.digest} />
          {decides === undefined || decides.revision === own.revision ? null : (
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

/** The bundles that decide, with their signers, and those that were refused. */
export function ActiveBundles({ data }: { data: Policies }): ReactElement {
  const { active, audited, quarantined, unread, eventsSince } = data;
  return (
    <>
      <section>
        <h2>Bundles</h2>
        <Own data={data} />
      </section>
      <section>
        <h2>Active</h2>
        {active.length === 0 ? (
          <p className="quiet">The webhook&apos;s Events name no active bundle.</p>
        ) : (
          <DataTable caption="Active bundles" columns={ACTIVE} rows={active} keyOf={({ bundle }) => bundle} />
        )}
      </section>
      <section>
        <h2>In quarantine</h2>
        {quarantined.length === 0 ? (
          <p className="quiet">The webhook&apos;s Events name no bundle that it refuses.</p>
        ) : (
          <DataTable
            caption="Bundles in quarantine"
            columns={REFUSED}
            rows={quarantined}
            keyOf={({ digest, code }) => `${digest} ${code}`}
          />
        )}
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
          {unread.length === 0 ? "" : ` You are not allowed to read: ${unread.join(", ")}.`}
        </p>
      </section>
    </>
  );
}
