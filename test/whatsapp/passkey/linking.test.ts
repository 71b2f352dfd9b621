import { EventEmitter } from 'node:events';
import { Boom } from '@hapi/boom';
import { initAuthCreds, proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { PASSKEY_CONTINUED, PASSKEY_REQUESTED } from '../../../src/whatsapp/baileys/passkey-stanzas.ts';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { PasskeyLinking } from '../../../src/whatsapp/passkey/linking.ts';
import type { SessionSignal, SessionSocket } from '../../../src/whatsapp/session.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { FakeClock } from '../../support/instance-fakes.ts';
import { silent } from '../../support/session-fakes.ts';

const SERVER = '@s.whatsapp.net';
const options = {
  challenge: Buffer.alloc(32, 7).toString('base64url'),
  rpId: 'whatsapp.com',
  userVerification: 'required',
};
const assertion = () => createAuthenticator().assert(options);
const element = (tag: string, content: Uint8Array): Stanza => ({ tag, attrs: {}, content });
const notification = (type: string, child: Stanza, from = SERVER): Stanza => ({
  tag: 'notification',
  attrs: { id: '1', from, type },
  content: [child],
});
const requestNotification = (text = JSON.stringify(options), from?: string) =>
  notification('passkey_prologue_request', element('passkey_request_options', Buffer.from(text)), from);
const continuation = (size = 32) => {
  const primary = { publicKey: initAuthCreds().noiseKey.public, nonce: Buffer.alloc(size, 3) };
  const bytes = proto.PrimaryEphemeralIdentity.encode(primary).finish();
  return notification('crsc_continuation', element('primary_ephemeral_identity', bytes));
};

/** A PasskeyLinking and a fake platform that the test controls. */
class Platform {
  readonly ws = new EventEmitter();
  readonly creds = initAuthCreds();
  readonly clock = new FakeClock();
  readonly signals: SessionSignal[] = [];
  /** The tags of the sent queries and acks, and an entry for each write of the credentials. */
  readonly sent: string[] = [];
  readonly ends: number[] = [];
  readonly linking: PasskeyLinking;
  /** Answers by tag. All other queries get an empty result. */
  readonly answers: Record<string, Stanza | Error> = {
    ref: { tag: 'iq', attrs: {}, content: [element('ref', Buffer.from('a reference'))] },
  };

  constructor(isEnabled = true) {
    const ended = new AbortController();
    const query = async ({ content }: Stanza): Promise<Stanza> => {
      const [child] = Array.isArray(content) ? content : [];
      const tag = child?.tag ?? '';
      this.sent.push(tag);
      const answer = this.answers[tag] ?? { tag: 'iq', attrs: {} };
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const session = {
      ended: ended.signal,
      // The link uses nothing else of the socket.
      socket: { query } as unknown as SessionSocket,
      fail: (code: number) => {
        this.ends.push(code);
        ended.abort();
      },
    };
    this.linking = new PasskeyLinking(session, {
      socket: { ws: this.ws as never, sendNode: async ({ tag }: Stanza) => void this.sent.push(tag) },
      auth: {
        creds: this.creds,
        saveCreds: () => void this.sent.push('save'),
        waitForCreds: async () => void this.sent.push('saved'),
      },
      browser: 'Chrome',
      isEnabled,
      clock: this.clock,
      log: silent,
      emit: (signal) => this.signals.push(signal),
    });
  }

  async deliver(event: string, stanza: Stanza): Promise<void> {
    this.ws.emit(event, stanza);
    await this.clock.advance(0);
  }

  request = (stanza = requestNotification()) => this.deliver(PASSKEY_REQUESTED, stanza);
  continue = (stanza = continuation()) => this.deliver(PASSKEY_CONTINUED, stanza);
}

describe('PasskeyLinking', () => {
  it('PasskeyLinking acknowledges a request, and stores a new secret before the phone gets the secret', async () => {
    const platform = new Platform();
    const scannedSecret = platform.creds.advSecretKey;
    await platform.request();
    expect(platform.creds.advSecretKey).not.toBe(scannedSecret);
    expect(Buffer.from(platform.creds.advSecretKey, 'base64')).toHaveLength(32);
    await platform.linking.answer(assertion());
    expect(platform.linking.status()).toMatchObject({ stage: 'verifying', code: null });
    await platform.continue();
    const { code } = platform.linking.status() ?? {};
    expect(code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
    await platform.linking.confirm(String(code).replace('-', '').toLowerCase());
    expect(platform.sent).toEqual([
      ...['ack', 'save', 'ref', 'passkey_prologue', 'ack', 'companion_nonce', 'saved', 'encrypted_pairing_request'],
    ]);
    expect(platform.signals.map((signal) => signal.type === 'passkey' && signal.status?.stage)).toEqual([
      'required',
      'confirm',
    ]);
  });

  it('PasskeyLinking queries the request when the notification has no readable request', async () => {
    const platform = new Platform();
    const text = Buffer.from(JSON.stringify(options));
    platform.answers.passkey_request_options = {
      tag: 'iq',
      attrs: {},
      content: [element('passkey_request_options', text)],
    };
    await platform.request(requestNotification('{'));
    expect(platform.linking.status()).toMatchObject({ stage: 'required', request: { rpId: 'whatsapp.com' } });
  });

  it('PasskeyLinking replaces the secret once when two requests arrive at the same time', async () => {
    const platform = new Platform();
    platform.answers.passkey_request_options = requestNotification();
    platform.ws.emit(PASSKEY_REQUESTED, requestNotification('{'));
    await platform.request(requestNotification('{'));
    expect(platform.linking.status()).toMatchObject({ stage: 'required' });
    expect(platform.sent.filter((tag) => tag === 'save')).toHaveLength(1);
  });

  it('PasskeyLinking ends the session when no request can be read', async () => {
    const platform = new Platform();
    await platform.request(requestNotification('{'));
    expect(platform.linking).toMatchObject({ failure: 'failed' });
    expect(platform.ends).toEqual([428]);
  });

  it('PasskeyLinking ignores notifications that are not from the server or that arrive for a linked account', async () => {
    const platform = new Platform();
    await platform.request(requestNotification(undefined, '15550001001@s.whatsapp.net'));
    platform.creds.account = {};
    await platform.request();
    expect([platform.sent, platform.signals, platform.linking.status()]).toEqual([[], [], undefined]);
  });

  it('PasskeyLinking keeps its request when another one arrives, and ignores an early answer of the phone', async () => {
    const platform = new Platform();
    await platform.request();
    const secret = platform.creds.advSecretKey;
    await platform.request(
      requestNotification(JSON.stringify({ ...options, challenge: Buffer.alloc(32).toString('base64url') })),
    );
    await platform.continue();
    expect(platform.linking.status()?.request.challenge).toBe(options.challenge);
    expect(platform.creds.advSecretKey).toBe(secret);
    expect(platform.sent).not.toContain('companion_nonce');
  });

  it('PasskeyLinking answers the phone once', async () => {
    const platform = new Platform();
    await platform.request();
    await platform.linking.answer(assertion());
    await platform.continue();
    const before = platform.linking.status();
    await platform.continue();
    expect(platform.linking.status()).toBe(before);
    expect(platform.sent.filter((tag) => tag === 'companion_nonce')).toHaveLength(1);
  });

  it('PasskeyLinking ends the session when the answer of the phone is malformed', async () => {
    const platform = new Platform();
    await platform.request();
    await platform.linking.answer(assertion());
    await platform.continue(continuation(31));
    expect(platform.ends).toEqual([428]);
    await expect(platform.linking.confirm('AAAA-AAAA')).rejects.toMatchObject({ code: 'PASSKEY_WRONG_STAGE' });
  });

  it.each([
    ['a refusal', new Boom('not-authorized', { data: 401 }), 'PASSKEY_REFUSED'],
    ['a lost connection', new Boom('Connection Closed', { statusCode: 428 }), 'PLATFORM_TIMEOUT'],
  ])('PasskeyLinking ends the session after %s and does not send the assertion again', async (_label, error, code) => {
    const platform = new Platform();
    await platform.request();
    platform.answers.passkey_prologue = error;
    await expect(platform.linking.answer(assertion())).rejects.toMatchObject({ code });
    expect(platform.ends).toEqual([428]);
    await expect(platform.linking.answer(assertion())).rejects.toMatchObject({ code: 'PASSKEY_WRONG_STAGE' });
    expect(platform.sent.filter((tag) => tag === 'passkey_prologue')).toHaveLength(1);
  });

  it('PasskeyLinking ends the session after five minutes', async () => {
    const platform = new Platform();
    await platform.request();
    expect(platform.linking.status()?.expiresAt).toBe(platform.clock.now() + 300_000);
    await platform.clock.advance(300_000);
    expect([platform.linking.failure, platform.ends]).toEqual(['expired', [408]]);
    await expect(platform.linking.answer(assertion())).rejects.toMatchObject({ code: 'PASSKEY_EXPIRED' });
  });

  it('PasskeyLinking reports a request and keeps the secret when passkey links are disabled', async () => {
    const platform = new Platform(false);
    const secret = platform.creds.advSecretKey;
    await platform.request();
    expect(platform.signals).toEqual([{ type: 'passkey', status: null }]);
    expect(platform.creds.advSecretKey).toBe(secret);
    expect(platform.sent).toEqual(['ack']);
  });
});
