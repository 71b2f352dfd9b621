// The packages that `npm run upstream` compares, and the readers of their public APIs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Marks, namesIn, snapshot } from '../whatsapp/baileys/api-snapshot.ts';
import { type Files, readExports, readReturnedMembers } from './declarations.ts';
import { readSchema } from './protobuf.ts';
import type { Surface } from './surface.ts';

/** One part of a public API. */
export interface Area {
  title: string;
  /** Throws Error when the files do not have the expected form. */
  read(files: Files): Surface;
  /** The mark of each name, which shows how the gateway uses the name. */
  marks?: Marks;
}

export interface WatchedPackage {
  /** Name on npm. */
  name: string;
  /** Name of its folder in node_modules. */
  folder: string;
  areas: readonly Area[];
}

const SOCKET = 'lib/Socket/index.d.ts';
const SCHEMA = 'WAProto/WAProto.proto';

function textOf(files: Files, path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`the package has no ${path}`);
  return text;
}

/** Omits the functions of the compiled module, whose names change with each build. */
const withoutWasmFunctions = (surface: Surface): Surface =>
  new Map([...surface].filter(([name]) => !name.startsWith('InitOutput')));

export const PACKAGES: readonly WatchedPackage[] = [
  {
    name: '@whiskeysockets/baileys',
    folder: '@whiskeysockets/baileys',
    areas: [
      {
        title: 'socket members',
        read: (files) => readReturnedMembers(textOf(files, SOCKET), 'makeWASocket'),
        marks: snapshot.socket,
      },
      {
        title: 'exports',
        read: (files) => readExports(files, 'lib/index.d.ts', (path) => path.startsWith('WAProto/')),
        marks: snapshot.exports,
      },
      { title: 'protobuf schema', read: (files) => readSchema(textOf(files, SCHEMA)) },
    ],
  },
  {
    name: 'whatsapp-rust-bridge',
    folder: 'whatsapp-interop-client',
    areas: [
      { title: 'declarations', read: (files) => withoutWasmFunctions(readExports(files, 'dist/index.d.ts')) },
      { title: 'protobuf declarations', read: (files) => readExports(files, 'dist/proto-types.d.ts') },
    ],
  },
];

/** True for a file that a reader of a public API needs. */
export const isApiFile = (path: string): boolean =>
  /\.(?:d\.ts|proto)$/.test(path) && !path.split('/').includes('node_modules');

const root = new URL('../../node_modules/', import.meta.url).pathname;

/** Returns the version and the API files of the installed package. */
export function readInstalled({ folder }: WatchedPackage): { version: string; files: Files } {
  const base = join(root, folder);
  const { version }: { version: string } = JSON.parse(readFileSync(join(base, 'package.json'), 'utf8'));
  const paths = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter(isApiFile);
  return { version, files: new Map(paths.map((path) => [path, readFileSync(join(base, path), 'utf8')])) };
}

/** Returns the mark of a name or of its parent; undefined for a name without a mark. */
export function markOf(marks: Marks | undefined, name: string): string | undefined {
  const [top = ''] = name.split('.');
  if (!marks || !namesIn(marks).includes(top)) return undefined;
  if (marks.used.includes(top)) return 'used';
  return marks['not used'].includes(top) ? 'not used' : 'decided against';
}
