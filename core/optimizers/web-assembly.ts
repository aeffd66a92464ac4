/** Which part of the WebAssembly API do the kernels use? Typed here because neither ES2024 nor @types/node declares it. */

export type WasmMemory = { readonly buffer: ArrayBuffer };
export type WasmExports = { readonly [name: string]: unknown };

type WebAssemblyApi = {
  readonly Memory: new (descriptor: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { readonly [module: string]: { readonly [name: string]: unknown } }) => { readonly exports: WasmExports };
  readonly validate: (bytes: Uint8Array) => boolean;
};

declare const WebAssembly: WebAssemblyApi;

/** The global of the same name (ECMAScript embedding: https://webassembly.github.io/spec/js-api/). */
export const webAssembly: WebAssemblyApi = WebAssembly;

/** One page of WebAssembly memory, in bytes (core specification, section 4.2.8). */
export const WASM_PAGE_BYTES = 65_536;
