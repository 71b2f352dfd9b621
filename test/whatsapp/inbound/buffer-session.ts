// Sessions with an inbound buffer whose Signal repository is a fake.
import { EventEmitter } from 'node:events';
import { addTransactionCapability, type BinaryNode, proto, type WASocket } from '@whiskeysockets/baileys';
import { expect, vi } from 'vitest';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { encodeCreds } from '../../../src/whatsapp/baileys/auth/codec.ts';
import { patchMessageTurns } from '../../../src/whatsapp/baileys/patches/message-turns.ts';
import { HistoryNotices } from '../../../src/whatsapp/inbound/history-notices.ts';
import { InboundBuffer } from '../../../src/whatsapp/inbound/inbound-buffer.ts';
import { resumeMessages } from '../../../src/whatsapp/inbound/resume.ts';
import type { ReportUnprocessable } from '../../../src/whatsapp/inbound/unprocessable-messages.ts';
import { type FakeKeys, linkedCreds, silent } from '../fakes.ts';

export const author = '222:0@lid';
export const group = '120363000000000001@g.us';

/** What a sender's device encrypts, padded as the platform pads. */
export const padded = (message: proto.IMessage) =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.from([1])]);

export const stanza = (id: string, ...ciphertexts: [type: string, content: Uint8Array][]): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: group, participant: author, t: '1700000000', type: 'text' },
  content: ciphertexts.map(([type, content]) => ({ tag: 'enc', attrs: { v: '2', type }, content })),
});

/** A session of the instance on `keys`: its ratchet "decrypts" by turning bits over, and can do so once per ciphertext. */
export async function session(keys: FakeKeys, used = new Set<string>(), done = new Set<string>()) {
  keys.credsRow ??= encodeCreds(linkedCreds());
  const auth = await AuthState.open({ keys, instanceId: 'one', onFailure: () => undefined });
  const inbound = await InboundBuffer.open(auth, new HistoryNotices(() => true), done);
  const transactional = addTransactionCapability(auth.state.keys, silent, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 0,
  });
  const once = async (ciphertext: Uint8Array) => {
    const name = Buffer.from(ciphertext).toString('hex');
    if (used.has(name)) throw new Error('no matching session');
    await transactional.set({ session: { ratchet: { _sessions: {}, version: 'v1' } as never } });
    used.add(name);
    return Buffer.from(ciphertext.map((byte) => byte ^ 0xff));
  };
  const lidMapping = { getLIDForPN: vi.fn(async (): Promise<string | null> => null) };
  const repository = inbound.wrapRepository(
    () =>
      ({
        lidMapping,
        decryptMessage: ({ jid, ciphertext }: { jid: string; ciphertext: Uint8Array }) =>
          transactional.transaction(() => once(ciphertext), jid),
        decryptGroupMessage: ({ group: name, msg }: { group: string; msg: Uint8Array }) =>
          transactional.transaction(() => once(msg), name),
      }) as never,
  )({ creds: auth.creds, keys: transactional }, silent);
  const read = (msg: Uint8Array) => repository.decryptGroupMessage({ group, authorJid: author, msg });
  const ws = new EventEmitter();
  const upsertMessage = vi.fn(async (_message: proto.IWebMessageInfo, _type: string) => undefined);
  const messageMutex = { mutex: (task: () => Promise<unknown>) => task() };
  const ev = { emit: (_event: string, _argument: object) => true };
  const setAside = vi.fn<ReportUnprocessable>(async () => true);
  const ended = new AbortController();
  const resumed = async () => {
    const socket = { signalRepository: repository, messageMutex, upsertMessage, ev, ws } as unknown as WASocket;
    patchMessageTurns(socket, inbound.messageTurns);
    await resumeMessages(inbound, socket, { auth, log: silent, ended: ended.signal, reportUnprocessable: setAside });
    return upsertMessage.mock.calls;
  };
  /** Receives and decrypts a message whose text is its id. */
  const receive = async (id: string) => {
    const content = sealed(id);
    inbound.onStanza(stanza(id, ['skmsg', content]));
    await read(content);
  };
  /** A turn of rc14 in which it decrypts the first ciphertext, fails to decrypt the others, and then does `rest`. */
  const turn = async (
    id: string,
    [content, ...damaged]: readonly Uint8Array[],
    rest: () => void,
    attrs: Record<string, string> = {},
  ) => {
    if (!content) throw new Error('a message has at least one ciphertext');
    const node = stanza(id, ['skmsg', content], ...damaged.map((each): ['pkmsg', Uint8Array] => ['pkmsg', each]));
    Object.assign(node.attrs, attrs);
    inbound.onStanza(node);
    for (const each of damaged) used.add(Buffer.from(each).toString('hex'));
    const failure = messageMutex.mutex(async () => {
      await read(content);
      for (const each of damaged) await expect(read(each)).rejects.toThrow('no matching session');
      rest();
    });
    await failure.catch(() => undefined);
    await auth.waitForWrites();
  };
  const asides = () => setAside.mock.calls.map(([err, { key }]) => [String(err), key.id]);
  const keysSetAside = () => setAside.mock.calls.map(([, { key }]) => key);
  return {
    auth,
    inbound,
    read,
    receive,
    resumed,
    ws,
    turn,
    ev,
    upsertMessage,
    asides,
    keysSetAside,
    ended,
    lidMapping,
  };
}

export const sealedMessage = (message: proto.IMessage) => Buffer.from(padded(message).map((byte) => byte ^ 0xff));
export const sealed = (text: string) => sealedMessage({ conversation: text });
export const rows = (keys: FakeKeys) => [...keys.rows.keys()].filter((key) => key.startsWith('inbound|'));
