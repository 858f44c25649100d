import type { Container } from "./pod-spec.ts";

export interface ContainerInput {
  container: Container;
  /** The Pod's name, the only one of its fields that is known. */
  pod: string;
  /** Ports of this machine by the names of the container's. */
  ports: Readonly<Record<string, number>>;
}

/** The container's variables. */
export const environmentOf = ({ container: { env }, pod }: ContainerInput): Record<string, string> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? pod]));

/** A port of this machine in place of the container's, where an argument ends with one: `--port=8443`. */
function withPort({ container, ports }: ContainerInput, text: string): string {
  const port = container.ports?.find(({ containerPort }) => text.endsWith(`port=${String(containerPort)}`));
  return port === undefined ? text : text.replace(/\d{1,5}$/, String(ports[port.name]));
}

/** Command and arguments. Kubernetes puts the values of variables into them: $(POD_NAME). */
export function commandOf(input: ContainerInput): string[] {
  const values = environmentOf(input);
  const { command, args } = input.container;
  const filled = (text: string): string =>
    text.replace(/\$\((\w{1,63})\)/g, (all, name: string) => values[name] ?? all);
  return [...command, ...args].map((text) => withPort(input, filled(text)));
}

/** `text` with what stands at its beginning or after an `=` replaced: paths of the container by those of this machine. */
export function withPaths(text: string, paths: readonly (readonly [from: string, to: string])[]): string {
  const value = text.startsWith("-") ? text.indexOf("=") + 1 : 0;
  const [option, path] = [text.slice(0, value), text.slice(value)];
  const found = paths.find(([from]) => path === from || path.startsWith(`${from}/`));
  return found === undefined ? text : `${option}${found[1]}${path.slice(found[0].length)}`;
}
