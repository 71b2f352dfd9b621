import { EventEmitter } from 'node:events';
import { initAuthCreds } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PASSKEY_REQUESTED } from '../../../../src/whatsapp/baileys/passkey-stanzas.ts';
import { patchQrCodes } from '../../../../src/whatsapp/baileys/patches/qr-codes.ts';

const stanza = {
  tag: 'iq',
  attrs: { id: 'one' },
  content: [
    {
      tag: 'pair-device',
      attrs: {},
      content: ['a', 'b'].map((ref) => ({ tag: 'ref', attrs: {}, content: Buffer.from(ref) })),
    },
  ],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Patches a socket and starts a pairing. `codes` contains the shown codes, and `ends` the close codes. */
function setUp(stopsForPasskey: boolean) {
  const [ws, codes, ends, ended] = [new EventEmitter(), [] as string[], [] as unknown[], new AbortController()];
  const socket = {
    ws,
    ev: { emit: (_event: string, { qr = '' }) => codes.push(qr.replace(/.*#/, '').replace(/,.*/, '')) },
    authState: { creds: initAuthCreds() },
    sendNode: async () => undefined,
    end: async (error: { output: { statusCode: number } }) => void ends.push(error.output.statusCode),
  };
  // The patch uses nothing else of the socket.
  patchQrCodes(socket as never, { browser: ['Gateway', 'Chrome', '1'], stopsForPasskey, ended: ended.signal });
  ws.emit('CB:iq,type:set,pair-device', stanza);
  return { ws, codes, ends, ended, creds: socket.authState.creds };
}

describe('patchQrCodes', () => {
  it('patchQrCodes() shows the first code for 60 s and the next one for 20 s, and ends the connection with 408', async () => {
    const { codes, ends } = setUp(true);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(codes).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(codes).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(ends).toEqual([408]);
  });

  it.each([
    true,
    false,
  ])('patchQrCodes() stops after a passkey request only if stopsForPasskey is true: %s', async (stopsForPasskey) => {
    const { codes, ends, ws } = setUp(stopsForPasskey);
    await vi.advanceTimersByTimeAsync(1_000);
    ws.emit(PASSKEY_REQUESTED, { tag: 'notification', attrs: { from: '@s.whatsapp.net' } });
    await vi.advanceTimersByTimeAsync(300_000);
    expect([codes, ends]).toEqual(stopsForPasskey ? [['a'], []] : [['a', 'b'], [408]]);
  });

  it.each([
    ['before the next code', 30_000],
    ['while the last code is shown', 70_000],
  ])('patchQrCodes() stops when a phone has linked the device %s', async (_, ms) => {
    const { codes, ends, creds } = setUp(false);
    await vi.advanceTimersByTimeAsync(ms);
    const shownCodes = [...codes];
    creds.account = {};
    await vi.advanceTimersByTimeAsync(300_000);
    expect([codes, ends]).toEqual([shownCodes, []]);
  });

  it('patchQrCodes() stops at the end of the session', async () => {
    const { codes, ends, ended } = setUp(false);
    await vi.advanceTimersByTimeAsync(1_000);
    ended.abort();
    await vi.advanceTimersByTimeAsync(300_000);
    expect([codes, ends]).toEqual([['a'], []]);
  });
});
