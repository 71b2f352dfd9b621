import { createRequire } from 'node:module';
import * as baileys from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../support/source-code.ts';
import { type Marks, namesIn, snapshot } from './api-snapshot.ts';
import { withSocket } from './unconnected-socket.ts';

const installed: { version: string } = createRequire(import.meta.url)('@whiskeysockets/baileys/package.json');

/** Returns the differences between the names of the installed API and those of the snapshot. */
const differences = (names: readonly string[], marks: Marks) => ({
  added: names.filter((name) => !namesIn(marks).includes(name)),
  removed: namesIn(marks).filter((name) => !names.includes(name)),
});

/** Returns the names that src/whatsapp/baileys imports from Baileys, directly or from library.ts, types included. */
function importedNames(): Set<string> {
  const statement =
    /^(?:import|export) (?:type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\} )?from '(?:@whiskeysockets\/baileys[^']*|\.{1,2}\/library\.ts)'/gm;
  const names = sourcesOf('src/whatsapp/baileys').flatMap(({ text }) =>
    [...text.matchAll(statement)].flatMap(([, defaultName, named = '']) => [
      ...(defaultName ? ['default'] : []),
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

/** Returns the members that the type Socket picks. */
function pickedMembers(): string[] {
  const types = sourcesOf('src/whatsapp/baileys').find(({ path }) => path === 'types.ts')?.text ?? '';
  const pick = /export type Socket = Pick<[^;]*>;/.exec(types)?.[0] ?? '';
  return [...pick.matchAll(/'(\w+)'/g)].map(([, name = '']) => name).sort();
}

describe("Baileys' public API", () => {
  it('the installed Baileys has the version in api-snapshot.json', () => {
    expect(installed.version).toBe(snapshot.version);
  });

  it('Baileys has exactly the exports in api-snapshot.json', () => {
    expect(differences(Object.keys(baileys), snapshot.exports)).toEqual({ added: [], removed: [] });
  });

  it('a Baileys socket has exactly the members in api-snapshot.json', async () => {
    let members: string[] = [];
    await withSocket((socket) => {
      members = Object.keys(socket);
    });
    expect(differences(members, snapshot.socket)).toEqual({ added: [], removed: [] });
  });

  it('each name in api-snapshot.json has one mark, and each `decided against` has a reason', () => {
    for (const marks of [snapshot.exports, snapshot.socket]) {
      const names = namesIn(marks);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      expect(Object.entries(marks['decided against']).filter(([, reason]) => reason.length < 10)).toEqual([]);
    }
  });

  it('api-snapshot.json marks as `used` exactly the exports that src/whatsapp/baileys imports', () => {
    const exported = new Set(namesIn(snapshot.exports));
    const imported = [...importedNames()].filter((name) => exported.has(name));
    expect(imported.sort()).toEqual(snapshot.exports.used.toSorted());
  });

  it('api-snapshot.json marks as `used` exactly the socket members in the type Socket', () => {
    expect(pickedMembers()).toEqual(snapshot.socket.used.toSorted());
  });

  it('src/whatsapp uses each member of the type Socket', () => {
    const code = sourcesOf('src/whatsapp')
      .filter(({ path }) => path !== 'session.ts' && path !== 'baileys/types.ts')
      .map(({ text }) => text)
      .join('\n');
    expect(pickedMembers().filter((member) => !new RegExp(`\\b${member}\\b`).test(code))).toEqual([]);
  });
});
