// The part of the runtime's WebAssembly that is used here; the types of Node have none, and those of browsers bring a window.
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-extraneous-class -- it is opaque: a thing to pass on
  class Module {
    static imports(module: Module): { module: string; name: string }[];
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Global {
    value: unknown;
  }
  type Imports = Record<string, Record<string, Memory | ((...args: number[]) => unknown)>>;
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Record<string, unknown>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
