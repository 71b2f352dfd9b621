// The store of an interop client, in memory. A client that starts with the store of an earlier client is the same
// linked device.
import type { JsStoreCallbacks } from 'whatsapp-interop-client';

export class MemoryStore {
  readonly #namespaces = new Map<string, Map<string, Uint8Array>>();

  /** The functions that the client calls. It calls them without `this`. */
  readonly callbacks: JsStoreCallbacks = {
    get: async (store, key) => this.#namespaces.get(store)?.get(key)?.slice() ?? null,
    set: async (store, key, value) => {
      const values = this.#namespaces.get(store) ?? new Map<string, Uint8Array>();
      this.#namespaces.set(store, values);
      values.set(key, value.slice());
    },
    delete: async (store, key) => void this.#namespaces.get(store)?.delete(key),
  };

  /** Keys of a namespace. */
  keys(namespace: string): string[] {
    return [...(this.#namespaces.get(namespace)?.keys() ?? [])];
  }
}
