import { createRequire } from 'node:module';
import * as baileys from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../architecture/sources.ts';
import { type Marks, namesIn, snapshot } from './api-snapshot.ts';
import { withSocket } from './socket.ts';

const installed: { version: string } = createRequire(import.meta.url)('@whiskeysockets/baileys/package.json');

/** The differences between the installed API and the snapshot. */
const differences = (names: readonly string[], marks: Marks) => ({
  added: names.filter((name) => !namesIn(marks).includes(name)),
  removed: namesIn(marks).filter((name) => !names.includes(name)),
});

/** Names that src/whatsapp/baileys imports from Baileys and from library.ts, which exports Baileys, types included. */
function importedNames(): Set<string> {
  const statement =
    /^(?:import|export) (?:type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\} )?from '(?:@whiskeysockets\/baileys[^']*|\.{1,2}\/library\.ts)'/gm;
  const names = sourcesOf('src/whatsapp/baileys').flatMap(({ text }) =>
    [...text.matchAll(statement)].flatMap(([, byDefault, named = '']) => [
      ...(byDefault ? ['default'] : []),
      ...named.split(',').map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      ),
    ]),
  );
  return new Set(names);
}

/** The members in the type Socket. */
function pickedMembers(): string[] {
  const types = sourcesOf('src/whatsapp/baileys').find(({ path }) => path === 'types.ts')?.text ?? '';
  const pick = /export type Socket = Pick<[^;]*>;/.exec(types)?.[0] ?? '';
  return [...pick.matchAll(/'(\w+)'/g)].map(([, name = '']) => name).sort();
}

describe("Baileys' public API", () => {
  it('has the version of the snapshot', () => {
    expect(installed.version).toBe(snapshot.version);
  });

  it('has the exports of the snapshot', () => {
    expect(differences(Object.keys(baileys), snapshot.exports)).toEqual({ added: [], removed: [] });
  });

  it('has the socket members of the snapshot', async () => {
    let members: string[] = [];
    await withSocket((socket) => {
      members = Object.keys(socket);
    });
    expect(differences(members, snapshot.socket)).toEqual({ added: [], removed: [] });
  });

  it('has one mark for each name', () => {
    for (const marks of [snapshot.exports, snapshot.socket]) {
      const names = namesIn(marks);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      expect(Object.entries(marks['decided against']).filter(([, reason]) => reason.length < 10)).toEqual([]);
    }
  });

  it('has the mark `used` for exactly the exports that src/whatsapp/baileys imports', () => {
    const exported = new Set(namesIn(snapshot.exports));
    const imported = [...importedNames()].filter((name) => exported.has(name));
    expect(imported.sort()).toEqual(snapshot.exports.used.toSorted());
  });

  it('has the mark `used` for exactly the socket members in the type Socket', () => {
    expect(pickedMembers()).toEqual(snapshot.socket.used.toSorted());
  });

  it('has no member in the type Socket that no code uses', () => {
    const code = sourcesOf('src/whatsapp')
      .filter(({ path }) => path !== 'session.ts' && path !== 'baileys/types.ts')
      .map(({ text }) => text)
      .join('\n');
    expect(pickedMembers().filter((member) => !new RegExp(`\\b${member}\\b`).test(code))).toEqual([]);
  });
});
