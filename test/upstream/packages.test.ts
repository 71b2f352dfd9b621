import { describe, expect, it } from 'vitest';
import { namesIn, snapshot } from '../whatsapp/baileys/api-snapshot.ts';
import { markOf, PACKAGES, readInstalled } from './packages.ts';
import { formatComparison } from './report.ts';

const [baileys, interop] = PACKAGES.map((watched) => {
  const installed = readInstalled(watched);
  return { watched, installed, surfaces: watched.areas.map((area) => area.read(installed.files)) };
});

describe('declarations of the installed Baileys', () => {
  it('the declarations of Baileys contain exactly the socket members of api-snapshot.json', () => {
    expect([...(baileys?.surfaces[0]?.keys() ?? [])].sort()).toEqual(namesIn(snapshot.socket).sort());
  });

  it('the declarations of Baileys contain all exports of api-snapshot.json except proto', () => {
    const names = new Set(baileys?.surfaces[1]?.keys());
    // The schema is read from WAProto.proto instead.
    expect(namesIn(snapshot.exports).filter((name) => !names.has(name))).toEqual(['proto']);
  });

  it('the protobuf schema of Baileys contains the numbers of fields and enum values', () => {
    const schema = baileys?.surfaces[2];
    expect(schema?.get('Message.conversation')).toBe('string = 1');
    expect(schema?.get('Message.ProtocolMessage.Type.REVOKE')).toBe('0');
  });
});

it('the declarations of the interoperability client contain its operations, callbacks and messages', () => {
  const [declarations, messages] = interop?.surfaces ?? [];
  expect(declarations?.get('createWhatsAppClient')).toContain('Promise<WasmWhatsAppClient>');
  expect(declarations?.get('WasmWhatsAppClient.archiveChat')).toBe(
    'archiveChat(jid: string, archive: boolean): Promise<void>',
  );
  expect(declarations?.get('JsTransportCallbacks.connect')).toBeDefined();
  expect(messages?.get('proto.IMessage.conversation')).toBeDefined();
});

it.each([
  ['end', 'used'],
  ['sendMessage', 'decided against'],
  ['unknownName', undefined],
])('markOf() maps the socket member %s to the mark %s', (name, mark) => {
  expect(markOf(snapshot.socket, name)).toBe(mark);
});

describe('formatComparison', () => {
  const watched = {
    name: 'library',
    folder: 'library',
    areas: [
      {
        title: 'exports',
        read: (files: ReadonlyMap<string, string>) => new Map<string, string>(JSON.parse(files.get('api') ?? 'no API')),
        marks: { used: ['Client'], 'not used': [], 'decided against': {} },
      },
    ],
  };
  const createVersion = (text: string, surface?: object) => ({
    version: text,
    files: new Map(surface ? [['api', JSON.stringify(Object.entries(surface))]] : []),
  });
  const before = createVersion('1.0.0', {
    Client: 'class Client',
    'Client.a': 'a: 1',
    'Client.b': 'b: 1',
    Old: 'x',
    'Old.m': 'y',
  });
  const after = createVersion('1.1.0', { Client: 'class Client', 'Client.b': 'b: 2', New: 'z', 'New.m': 'z' });

  it('formatComparison() lists removed, changed and added names with their marks', () => {
    expect(formatComparison(watched, before, after, { limit: 10 })).toEqual([
      'library: 1.0.0 is installed, 1.1.0 is the newest',
      '  exports: 2 removed, 1 changed, 1 added',
      '    - Client.a [used]: 1',
      '    - Old: x',
      '    ~ Client.b [used]: 1 → 2',
      '    + New: z',
    ]);
  });

  it('formatComparison() reports the number of omitted lines', () => {
    expect(formatComparison(watched, before, after, { limit: 1 }).at(-1)).toBe('    … and 3 more; --all prints them');
  });

  it('formatComparison() reports that there is no newer version', () => {
    expect(formatComparison(watched, before, before, { limit: 1 })).toContain('  nothing to compare');
  });

  it('formatComparison() reports an area that cannot be compared instead of listing it as removed', () => {
    expect(formatComparison(watched, before, createVersion('2.0.0'), { limit: 1 }).at(-1)).toMatch(
      /exports: cannot be compared: /,
    );
  });
});
