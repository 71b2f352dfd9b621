import { describe, expect, it } from 'vitest';
import type { DomainEvent, Message } from '../../src/events.ts';
import { complete, toStoredBody } from '../../src/webhooks/envelope.ts';
import { toData } from '../../src/webhooks/payload.ts';
import { resolve, type Schema, spec, violations } from './document.ts';

const key = { remoteJid: '5511987654321@s.whatsapp.net', fromMe: false, id: '3A01', remoteJidAlt: '1500@lid' };
const message: Message = {
  key: { ...key, remoteJid: '120363025246125486@g.us', participant: '5511987654321@s.whatsapp.net' },
  pushName: 'Ana',
  message: { extendedTextMessage: { text: 'hello', contextInfo: { stanzaId: '3A00' } } },
  messageType: 'extendedTextMessage',
  messageTimestamp: 1767225600,
  status: 'PENDING',
  source: 'android',
};
const contacts = [{ jid: key.remoteJid, lid: '1500@lid', pushName: 'Ana' }, { jid: '1501@lid' }];

/** One full and, where it differs, one bare event of every type. */
const samples: DomainEvent[] = [
  { type: 'qrcode.updated', code: '2@a,b', pairingCode: 'ABCD1234', base64: 'data:image/png;base64,AA==', count: 2 },
  { type: 'qrcode.updated', limitReached: true },
  { type: 'connection.update', state: 'open', statusReason: 200, wuid: key.remoteJid, profileName: 'Shop' },
  {
    type: 'connection.update',
    state: 'close',
    statusReason: 428,
    cause: 'transient',
    message: 'The connection was lost',
    userAction: 'none',
    retryAt: 1767225600000,
  },
  { type: 'messages.upsert', message },
  { type: 'messages.update', key, status: 'READ', at: 1767225600000 },
  { type: 'messages.update', key, status: 'ERROR', at: 1767225600000, code: '463', reason: 'restricted' },
  { type: 'send.message', message: { ...message, message: { conversation: 'hello' }, messageType: 'conversation' } },
  {
    type: 'send.message.update',
    message: { ...message, messageType: 'protocolMessage', message: { protocolMessage: { type: 'MESSAGE_EDIT' } } },
    edited: { key, message: { extendedTextMessage: { text: 'bye' } }, text: 'bye', at: 1767225600000 },
  },
  { type: 'messages.edited', key, message: { conversation: 'bye' }, text: 'bye', at: 1767225600000 },
  { type: 'messages.delete', key: message.key, at: 1767225600000 },
  { type: 'presence.update', id: key.remoteJid, presences: { [key.remoteJid]: { lastKnownPresence: 'composing' } } },
  { type: 'contacts.upsert', contacts },
  { type: 'contacts.update', contacts },
  { type: 'messages.undecryptable', key, pushName: 'Ana', messageTimestamp: 1767225600, reason: 'no session' },
  { type: 'logout.instance' },
  { type: 'remove.instance' },
];

/** The post as an integrator receives it. */
function posted(event: DomainEvent) {
  const envelope = {
    event: event.type,
    instance: 'shop',
    data: toData(event, { id: 'an-id', name: 'shop' }),
    date_time: new Date(0).toISOString(),
    sender: '5511912345678@s.whatsapp.net',
    server_url: 'http://127.0.0.1:8080',
  };
  return JSON.parse(complete(toStoredBody(envelope), 'http://127.0.0.1:9000/events'));
}

/** Names of the fields the contract gives to the objects in `data`. */
function documented(schema: Schema): string[] {
  const { properties, items, anyOf } = resolve(schema);
  const inner = [...(items ? [items] : []), ...(anyOf ?? [])];
  return [...Object.keys(properties ?? {}), ...inner.flatMap(documented)];
}

describe('a webhook post', () => {
  it('is tried here for every event of the contract', () => {
    const types = new Set<string>(samples.map(({ type }) => type));
    expect([...types].sort()).toEqual(Object.keys(spec.webhooks).sort());
  });

  it.each(samples)('of $type is what the contract says, and has no field it does not name', (event) => {
    const body = posted(event);
    const reference = spec.webhooks[event.type]?.post.requestBody?.content?.['application/json']?.schema?.$ref ?? '';
    const name = reference.split('/').at(-1) ?? '';
    expect(violations(name, body)).toBeUndefined();
    const parts = spec.components.schemas[name]?.allOf ?? [];
    const names = documented(parts[1]?.properties?.data ?? {});
    for (const data of [body.data].flat()) expect(names).toEqual(expect.arrayContaining(Object.keys(data ?? {})));
  });
});
