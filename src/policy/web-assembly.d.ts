// The part of the runtime's WebAssembly that is used here; the types of Node have none, and those of browsers bring a window.
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-extraneous-class -- it is opaque: a thing to pass on
  class Module {
    static imports(module: Module): { module: string; name: string }[];
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
