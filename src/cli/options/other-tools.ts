import { ownValue } from "../../model/json.ts";
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
  "--policy": "write --bundle for a built bundle, or --source for a folder of policies",
  "--policies": "write --bundle for a built bundle, or --source for a folder of policies",
  "--region": "write --place, or schedulingLocation in the file",
  "--output-file": "write > FILE after the command",
  "--tag": "write it in the reference of the bundle, after :",
  "--time": "write --now",
  "--at": "write --now",
  "--date": "write --now",
  "--dry-run": "omit it: only kubectl apply changes a cluster",
  "--verbose": "write -o wide or -o json for more",
  "-v": "write -o wide or -o json for more",
  "--limit": "pipe the output through head",
  "--sort": "pipe the output through sort, or write -o json for jq",
  "--sort-by": "pipe the output through sort, or write -o json for jq",
  "--filter": "name the case's file or its folder",
  "-F": "write -f",
  "--max-price": "write maxPrice in the object's spec",
  "--type": "write instanceType in the object's spec",
});

/** The corrections that differ in a command. */
const IN_COMMAND: Readonly<Record<string, Readonly<Record<string, string>>>> = table({
  places: {
    "--origin": "write --of for round trips from a place",
    "--from": "write --of for round trips from a place",
    "--region": "pipe the output through grep",
    "--max-latency": "write --within-latency, with --of",
    "--country": "write --area",
  },
  types: {
    "--type": "pipe the output through grep",
    "--name": "pipe the output through grep",
    "--region": "write --place",
    "--location": "write --place",
    "--ram": "write --memory",
    "--cpus": "write --cpu",
    "--vcpus": "write --cpu",
    "--gpus": "write --gpu",
    "--max-price": "pipe the output through head: the cheapest types are first",
  },
});

/** Commands that other tools have. */
const COMMANDS: Readonly<Record<string, string>> = table({
  kops: "write landfall import kops or landfall export kops",
  apply: "write kubectl apply, or landfall explain to see what it would do",
  create: "write kubectl create, or landfall scaffold for charts and policies",
  delete: "write kubectl delete",
  describe: "write landfall get NAMESPACE/NAME, or landfall explain NAMESPACE/NAME",
  validate: "write landfall explain -f FILE",
  lint: "write landfall explain -f FILE",
  check: "write landfall explain -f FILE, landfall test or landfall doctor",
  decide: "write landfall explain -f FILE",
  version: "write landfall --version",
  regions: "write landfall places",
  providers: "write landfall places",
  init: "write landfall scaffold",
});

/** The commander's words for a command that other tools have. */
const withCommands = (text: string): string =>
  text.replace(/unknown command '([a-z-]{1,40})'(?:\s{0,4}\(Did you mean [^)]{0,200}\))?/, (whole, name: string) => {
    const instead = COMMANDS[name];
    return instead === undefined ? whole : `unknown command '${name}': ${instead}`;
  });

/** The commander's words for an option that other tools have: `--format json` is `-o json` here. `command`: the one that was called. */
export const withOtherTools = (text: string, command = ""): string =>
  withCommands(text).replace(
    /unknown option '(-{1,2}[A-Za-z-]{1,40})(?:=[^']{0,200})?'(?:\s{0,4}\(Did you mean [^)]{0,200}\))?/,
    (whole, option: string) => {
      const instead = ownValue(IN_COMMAND[command], option) ?? INSTEAD[option];
      return instead === undefined ? whole : `unknown option '${option}': ${instead}`;
    },
  );
