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
import { type FakeKeys, linkedCreds, silent } from '../../support/session-fakes.ts';

export const author = '222:0@lid';
export const group = '120363000000000001@g.us';

/** Encodes a message and pads it, as the sender's device does before the encryption. */
export const encodePadded = (message: proto.IMessage) =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.from([1])]);

export const stanza = (id: string, ...ciphertexts: [type: string, content: Uint8Array][]): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: group, participant: author, t: '1700000000', type: 'text' },
  content: ciphertexts.map(([type, content]) => ({ tag: 'enc', attrs: { v: '2', type }, content })),
});

/**
 * Opens a session of the instance on `keys`. Its fake ratchet decrypts each ciphertext once, by inverting the bits.
 * Pass the same `usedCiphertexts` and `storedRowIds` to the sessions of one instance.
 */
export async function openSession(
  keys: FakeKeys,
  usedCiphertexts = new Set<string>(),
  storedRowIds = new Set<string>(),
) {
  keys.credsRow ??= encodeCreds(linkedCreds());
  const auth = await AuthState.open({ keys, instanceId: 'one', onFailure: () => undefined });
  const inbound = await InboundBuffer.open(auth, new HistoryNotices(() => true), storedRowIds);
  const transactionalKeys = addTransactionCapability(auth.state.keys, silent, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 0,
  });
  const decryptOnce = async (ciphertext: Uint8Array) => {
    const name = Buffer.from(ciphertext).toString('hex');
    if (usedCiphertexts.has(name)) throw new Error('no matching session');
    await transactionalKeys.set({ session: { ratchet: { _sessions: {}, version: 'v1' } as never } });
    usedCiphertexts.add(name);
    return Buffer.from(ciphertext.map((byte) => byte ^ 0xff));
  };
  const lidMapping = { getLIDForPN: vi.fn(async (): Promise<string | null> => null) };
  const repository = inbound.wrapRepository(
    () =>
      ({
        lidMapping,
        decryptMessage: ({ jid, ciphertext }: { jid: string; ciphertext: Uint8Array }) =>
          transactionalKeys.transaction(() => decryptOnce(ciphertext), jid),
        decryptGroupMessage: ({ group: name, msg }: { group: string; msg: Uint8Array }) =>
          transactionalKeys.transaction(() => decryptOnce(msg), name),
      }) as never,
  )({ creds: auth.creds, keys: transactionalKeys }, silent);
  const decrypt = (msg: Uint8Array) => repository.decryptGroupMessage({ group, authorJid: author, msg });
  const ws = new EventEmitter();
  const upsertMessage = vi.fn(async (_message: proto.IWebMessageInfo, _type: string) => undefined);
  const messageMutex = { mutex: (task: () => Promise<unknown>) => task() };
  const ev = { emit: (_event: string, _argument: object) => true };
  const reportUnprocessable = vi.fn<ReportUnprocessable>(async () => true);
  const ended = new AbortController();
  const resume = async () => {
    const socket = { signalRepository: repository, messageMutex, upsertMessage, ev, ws } as unknown as WASocket;
    patchMessageTurns(socket, inbound.messageTurns);
    await resumeMessages(inbound, socket, { auth, log: silent, ended: ended.signal, reportUnprocessable });
    return upsertMessage.mock.calls;
  };
  /** Receives and decrypts a message whose text is its id. */
  const receive = async (id: string) => {
    const content = encryptText(id);
    inbound.onStanza(stanza(id, ['skmsg', content]));
    await decrypt(content);
  };
  /**
   * Runs a turn of Baileys rc14: decrypts the first ciphertext, fails to decrypt the others, and calls `finishTurn`.
   */
  const runTurn = async (
    id: string,
    [content, ...damaged]: readonly Uint8Array[],
    finishTurn: () => void,
    attrs: Record<string, string> = {},
  ) => {
    if (!content) throw new Error('a message has at least one ciphertext');
    const node = stanza(
      id,
      ['skmsg', content],
      ...damaged.map((damagedPart): ['pkmsg', Uint8Array] => ['pkmsg', damagedPart]),
    );
    Object.assign(node.attrs, attrs);
    inbound.onStanza(node);
    for (const damagedPart of damaged) usedCiphertexts.add(Buffer.from(damagedPart).toString('hex'));
    const failure = messageMutex.mutex(async () => {
      await decrypt(content);
      for (const damagedPart of damaged) await expect(decrypt(damagedPart)).rejects.toThrow('no matching session');
      finishTurn();
    });
    await failure.catch(() => undefined);
    await auth.waitForWrites();
  };
  const unprocessableReports = () => reportUnprocessable.mock.calls.map(([err, { key }]) => [String(err), key.id]);
  const unprocessableKeys = () => reportUnprocessable.mock.calls.map(([, { key }]) => key);
  return {
    auth,
    inbound,
    decrypt,
    receive,
    resume,
    ws,
    runTurn,
    ev,
    upsertMessage,
    unprocessableReports,
    unprocessableKeys,
    ended,
    lidMapping,
  };
}

export const encryptMessage = (message: proto.IMessage) =>
  Buffer.from(encodePadded(message).map((byte) => byte ^ 0xff));
export const encryptText = (text: string) => encryptMessage({ conversation: text });
export const inboundRows = (keys: FakeKeys) => [...keys.rows.keys()].filter((key) => key.startsWith('inbound|'));
