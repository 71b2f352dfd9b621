import { describe, expect, it } from 'vitest';
import { readExports, readReturnedMembers } from './declarations.ts';

const exportsOf = (files: Record<string, string>, entry = 'index.d.ts') =>
  Object.fromEntries(readExports(new Map(Object.entries(files)), entry));

describe('readExports', () => {
  it('readExports() lists functions, constants, types, and the members of interfaces, classes and enums', () => {
    const text = `
      /** A comment; with { brackets } */
      export declare const LIMIT = 5;
      export declare function send(to: string, options?: { id: string; }): Promise<void>;
      export type Mode = 'a;b' | "c}";
      export interface Options extends Base {
          /** Text. */
          id?: string;
          on(event: string): { off: () => void; };
      }
      export declare class Client {
          #secret;
          private constructor();
          private hidden;
          static create(): Client;
          get open(): boolean;
      }
      export declare enum Kind { IMAGE = 0, VIDEO = "v,1" }
      declare const internal: number;`;
    expect(exportsOf({ 'index.d.ts': text })).toEqual({
      LIMIT: 'const LIMIT = 5',
      send: 'function send(to: string, options?: { id: string; }): Promise<void>',
      Mode: `type Mode = 'a;b' | "c}"`,
      Options: 'interface Options extends Base',
      'Options.id': 'id?: string',
      'Options.on': 'on(event: string): { off: () => void; }',
      Client: 'class Client',
      'Client.create': 'static create(): Client',
      'Client.open': 'get open(): boolean',
      Kind: 'enum Kind',
      'Kind.IMAGE': 'IMAGE = 0',
      'Kind.VIDEO': 'VIDEO = "v,1"',
    });
  });

  it('readExports() lists all constants of one statement', () => {
    const text = 'export declare const A = 1, B: Map<string, { c: number; }>, D = "x, y";';
    expect(exportsOf({ 'index.d.ts': text })).toEqual({
      A: 'const A = 1',
      B: 'const B: Map<string, { c: number; }>',
      D: 'const D = "x, y"',
    });
  });

  it('readExports() joins the overloads of a function', () => {
    const text = 'export declare function a(): void;\nexport declare function a(b: string): void;';
    expect(exportsOf({ 'index.d.ts': text })).toEqual({ a: 'function a(): void; function a(b: string): void' });
  });

  it('readExports() follows re-exports, also in a circle, but not into excluded modules', () => {
    const files = {
      'lib/index.d.ts': `export * from './a.js'; export * from './folder/index.js'; export * from '../proto.js';
        import make from './make.js'; export { make, type Local as Renamed }; interface Local { x: 1; } export default make;`,
      'lib/a.d.ts': `export * from './index.js'; export { b as c } from './folder/index.js'; export declare const a: 1;`,
      'lib/folder/index.d.ts': 'export declare const b: 2;',
      'proto.d.ts': 'export declare const proto: 3;',
    };
    const surface = readExports(new Map(Object.entries(files)), 'lib/index.d.ts', (path) => path === 'proto.d.ts');
    expect(Object.fromEntries(surface)).toEqual({
      make: 'make',
      default: 'make',
      Renamed: 'interface Local',
      'Renamed.x': 'x: 1',
      a: 'const a: 1',
      b: 'const b: 2',
      c: 'from ./folder/index.js',
    });
  });

  it('readExports() lists the fields of a protobufjs message once, although an interface and a class have them', () => {
    const text = `export namespace proto {
      interface IAccount { lid?: (string|null); }
      class Account implements IAccount { constructor(p?: IAccount); public lid?: (string|null); }
      namespace Account { enum Kind { A = 0 } }
    }`;
    expect(exportsOf({ 'index.d.ts': text })).toEqual({
      proto: 'namespace proto',
      'proto.IAccount': 'interface IAccount',
      'proto.IAccount.lid': 'lid?: (string|null)',
      'proto.Account': 'class Account implements IAccount; namespace Account',
      'proto.Account.Kind': 'enum Kind',
      'proto.Account.Kind.A': 'A = 0',
    });
  });

  it('readExports() throws for a module that the package does not contain', () => {
    expect(() => exportsOf({}, 'index.d.ts')).toThrow('the package has no index.d.ts');
    expect(() => exportsOf({ 'index.d.ts': "export * from './gone.js';" })).toThrow('refers to ./gone.js');
  });

  it('readExports() throws for namespaces that are nested more than 20 deep', () => {
    const text = `export ${'namespace a {'.repeat(50)}${'}'.repeat(50)}`;
    expect(() => exportsOf({ 'index.d.ts': text })).toThrow('nested more than 20 deep');
  });
});

describe('readReturnedMembers', () => {
  it('readReturnedMembers() lists the members of the returned object', () => {
    const text = `import x from './x.js';
      declare const make: (config: UserConfig) => {
          query: (node: { tag: string; }) => Promise<any>;
          ev: Emitter & {
              flush(): boolean;
          };
      };
      export default make;`;
    expect(Object.fromEntries(readReturnedMembers(text, 'make'))).toEqual({
      query: 'query: (node: { tag: string; }) => Promise<any>',
      ev: 'ev: Emitter & { flush(): boolean; }',
    });
  });

  it('readReturnedMembers() throws for a declaration of another form, so that no member seems to be removed', () => {
    expect(() => readReturnedMembers('declare const make: (config: A) => Socket;', 'make')).toThrow('no declaration');
    expect(() => readReturnedMembers('', 'make')).toThrow('no declaration');
  });
});
