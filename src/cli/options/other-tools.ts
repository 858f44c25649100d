import { table } from "../../model/table.ts";

/** Options that other tools have, and what to write here instead. */
const INSTEAD: Readonly<Record<string, string>> = table({
  "--format": "write -o json or -o yaml",
  "--json": "write -o json or -o yaml",
  "--yaml": "write -o json or -o yaml",
  "--filename": "write -f",
  "--files": "write -f",
  "--manifest": "write -f",
  "--input": "write -f",
  "--context": "set it with kubectl config use-context, or give --kubeconfig",
  "--kube-context": "set it with kubectl config use-context, or give --kubeconfig",
  "--ns": "write -n, or metadata.namespace in the file",
  "-n": "write metadata.namespace in the file",
  "--namespace": "write metadata.namespace in the file",
  "-A": "omit -n for all namespaces",
  "--all-namespaces": "omit -n for all namespaces",
  "--insecure": "write --ca for a certificate authority of your own, or --plain-http for a registry without TLS",
  "--insecure-skip-tls-verify": "write --ca for a certificate authority of your own",
  "--tag": "write it in the reference of the bundle, after :",
  "--time": "write --now",
  "--at": "write --now",
  "--date": "write --now",
});

/** The commander's words for an option that other tools have: `--format json` is `-o json` here. */
export const withOtherTools = (text: string): string =>
  text.replace(
    /unknown option '(-{1,2}[A-Za-z-]{1,40})(?:=[^']{0,200})?'(?:\s{0,4}\(Did you mean [^)]{0,200}\))?/,
    (whole, option: string) => {
      const instead = INSTEAD[option];
      return instead === undefined ? whole : `unknown option '${option}': ${instead}`;
    },
  );
