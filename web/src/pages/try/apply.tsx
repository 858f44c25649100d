import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Applied, Manifest, Tried } from "../../../../src/console/contract/trying.ts";
import { RequestError, send } from "../../api/request.ts";
import type { Asked } from "./document/create-trier.ts";

interface ApplyProps {
  yaml: string;
  manifest: Manifest | null;
  asked: Asked<Tried>;
  server: string;
}

/** Why the object cannot be created now; null if it can. `made`: the document that was created last. */
function obstacle(
  { manifest, asked: { value, problem, isCurrent } }: ApplyProps,
  made: Manifest | undefined,
): string | null {
  if (manifest === null) return "The YAML has to be correct first.";
  if (manifest.object === made?.object) return "It was created. Write another name for another object.";
  if (problem !== null) return "It could not be checked.";
  if (!isCurrent || value === null) return "It is being checked.";
  if (!value.mayCreate)
    return `You cannot create a ${value.kind} in ${value.namespace}. Copy the YAML for someone who may.`;
  return value.denials.length > 0 ? "It would be denied." : null;
}

function Copy({ yaml }: { yaml: string }): ReactElement {
  const [copied, setCopied] = useState<"" | "Copied" | "The browser does not allow it">("");
  const copy = (): void => {
    navigator.clipboard.writeText(yaml).then(
      () => {
        setCopied("Copied");
      },
      () => {
        setCopied("The browser does not allow it");
      },
    );
  };
  return (
    <>
      <Button className="plain" onPress={copy}>
        Copy as YAML
      </Button>
      <span role="status" className="quiet">
        {copied}
      </span>
    </>
  );
}

const problemText = (problem: unknown): string => {
  if (!(problem instanceof RequestError)) return String(problem);
  const { message, againSeconds } = problem.problem;
  return againSeconds === null ? message : `${message}; try again in ${String(againSeconds)} s`;
};

/** Copies the document, or creates the object with the user's rights, after it says what that does. */
export function Apply(props: ApplyProps): ReactElement {
  const { yaml, manifest, asked, server } = props;
  const create = useMutation({
    mutationFn: (given: Manifest) => send<Applied>("/api/apply", given, new AbortController().signal),
  });
  const reason = obstacle(props, create.isSuccess ? create.variables : undefined);
  const named =
    asked.value === null ? "the object" : `${asked.value.kind} ${asked.value.namespace}/${asked.value.name}`;
  const { data, error } = create;
  return (
    <section className="apply" aria-label="Use it">
      <Copy yaml={yaml} />
      <Button
        className="plain primary"
        isDisabled={reason !== null || create.isPending}
        onPress={() => {
          if (manifest !== null) create.mutate(manifest);
        }}
      >
        Create in the cluster
      </Button>
      <span className="quiet">
        {reason ?? `Creates ${named} at ${server} with your rights. It then costs what is shown.`}
      </span>
      {data === undefined ? null : (
        <p role="status">
          Created{" "}
          <Link
            to="/objects/$kind/$objectNamespace/$name"
            params={{ kind: data.kind, objectNamespace: data.namespace, name: data.name }}
          >
            {data.kind} {data.namespace}/{data.name}
          </Link>
          {data.place === null ? "." : ` in ${data.place}.`}
        </p>
      )}
      {error === null ? null : <p role="alert">{problemText(error)}</p>}
    </section>
  );
}
