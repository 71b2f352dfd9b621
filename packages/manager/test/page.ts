// Loads modules of the manager page outside a browser, with the few browser objects that they need.
import { onTestFinished, vi } from 'vitest';

const SRC = new URL('../src/', import.meta.url);

/** The document of the page. A test hides it with `setHidden`. */
export class PageDocument extends EventTarget {
  baseURI = 'http://gateway.test/manager/';
  documentElement = { lang: '' };
  hidden = false;

  setHidden(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

const createStorage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
};

/** Installs the globals of a browser until the test ends. Returns the document. */
export function installPage(): PageDocument {
  const document = new PageDocument();
  vi.stubGlobal('document', document);
  vi.stubGlobal('localStorage', createStorage());
  vi.stubGlobal('sessionStorage', createStorage());
  vi.stubGlobal('navigator', { languages: ['en'] });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return document;
}

/** Loads a module of the page. Call `installPage` first. The modules are JavaScript, so the caller names their type. */
export async function loadModule<Module>(name: string): Promise<Module> {
  return import(new URL(name, SRC).pathname);
}
