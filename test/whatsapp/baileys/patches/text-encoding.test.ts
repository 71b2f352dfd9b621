import { decodeBinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { patchTextEncoding } from '../../../../src/whatsapp/baileys/patches/text-encoding.ts';
import { TIMED_OUT } from '../../../../src/whatsapp/baileys/required-answers.ts';
import type { Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import type { Socket } from '../../../../src/whatsapp/baileys/types.ts';
import { withSocket } from '../unconnected-socket.ts';

interface PatchedSocket {
  socket: Socket;
  /** The stanzas that the gateway has sent. */
  sent: () => Promise<Stanza[]>;
  /** The queries of the gateway. None of them is answered. */
  queries: Stanza[];
  /** Failed sends: those of Baileys, because the socket is not connected, and those of the patch. */
  failures: unknown[];
}

/** Passes a patched socket of a linked account to `use`. */
const withPatchedSocket = (use: (patched: PatchedSocket) => Promise<void>): Promise<void> =>
  withSocket(async (socket) => {
    const frames: Uint8Array[] = [];
    const failures: unknown[] = [];
    const queries: Stanza[] = [];
    const send = async (stanza: Stanza) => {
      queries.push(stanza);
      throw Object.assign(new Error('not answered'), { data: TIMED_OUT });
    };
    socket.authState.creds.me = { id: '15550009001:1@s.whatsapp.net', name: 'Shop' };
    socket.sendRawMessage = async (frame) => void frames.push(frame);
    socket.logger.warn = (detail: unknown) => void failures.push(detail);
    patchTextEncoding(socket, { send }, (error) => failures.push(error));
    const sent = async () =>
      (await Promise.all(frames.map((frame) => decodeBinaryNode(Buffer.from(frame))))) as Stanza[];
    await use({ socket, sent, queries, failures });
  });

it('patchTextEncoding() sends a new name with `@` complete, and only once', async () => {
  await withPatchedSocket(async ({ socket, sent, failures }) => {
    for (const name of ['Vendas_2026@matriz', 'Vendas_2026@matriz'])
      socket.ev.emit('creds.update', { me: { id: '15550009001:1@s.whatsapp.net', name } });
    expect(socket.authState.creds.me?.name).toBe('Vendas_2026@matriz');
    expect(await sent()).toEqual([{ tag: 'presence', attrs: { name: 'Vendas_2026@matriz' } }]);
    expect(failures).toEqual([]);
  });
});

it('patchTextEncoding() sends no presence when other credentials change', async () => {
  await withPatchedSocket(async ({ socket, sent, failures }) => {
    socket.ev.emit('creds.update', { nextPreKeyId: 7 });
    expect(socket.authState.creds).toMatchObject({ nextPreKeyId: 7, me: { name: 'Shop' } });
    expect(await sent()).toEqual([]);
    expect(failures).toEqual([]);
  });
});

it.each([
  ['Reunião 10:30 @ sala', true, [{ tag: 'presence', attrs: { name: 'Reunião 10:30 @ sala', type: 'available' } }]],
  ['ada@example.com', false, [{ tag: 'presence', attrs: { name: 'ada@example.com', type: 'unavailable' } }]],
  ['Shop', true, []],
])('patchTextEncoding() sends a presence with the complete name %s when Baileys has removed an `@` (online: %s)', async (name, isOnline, expected) => {
  await withPatchedSocket(async ({ socket, sent }) => {
    socket.authState.creds.me = { id: '15550009001:1@s.whatsapp.net', name };
    socket.ev.emit('connection.update', { isOnline });
    await Promise.resolve();
    expect(await sent()).toEqual(expected);
  });
});

it('patchTextEncoding() sends queries of Baileys itself, and resolves unanswered queries with undefined', async () => {
  await withPatchedSocket(async ({ socket, queries }) => {
    const content = [{ tag: 'create', attrs: { subject: 'Vendas_2026@matriz' } }];
    const stanza = { tag: 'iq', attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' }, content };
    expect(await socket.query(stanza)).toBeUndefined();
    expect(queries).toEqual([stanza]);
  });
});
