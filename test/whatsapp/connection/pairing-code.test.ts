import { describe, expect, it } from 'vitest';
import { initAuthCreds } from '../../../src/whatsapp/baileys/library.ts';
import { childOf, type Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { requestPairingCode } from '../../../src/whatsapp/connection/pairing-code.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const number = '4915112345678';
const reference = { tag: 'link_code_pairing_ref', attrs: {}, content: Buffer.alloc(16, 1) };
const ACCEPTED: Stanza = {
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'link_code_companion_reg', attrs: {}, content: [reference] }],
};

/** Creates a session without an account. WhatsApp answers with `answer`, or does not answer when it is undefined. */
function connect(answer: Stanza | undefined, browser = 'Chrome') {
  const creds = initAuthCreds();
  const requests: (Stanza | undefined)[] = [];
  const saved: string[] = [];
  const auth = {
    creds,
    isPaired: () => creds.account !== undefined,
    saveCreds: () => void saved.push(creds.me?.id ?? ''),
  };
  const session = fakeSession({
    query: async (stanza: Stanza) => {
      requests.push(childOf(stanza, 'link_code_companion_reg'));
      return answer;
    },
  });
  const request = () => requestPairingCode(session, { auth, browser }, number);
  const sent = (tag: string) => childOf(requests.at(-1), tag)?.content?.toString();
  return { creds, saved, request, sent };
}

describe('requestPairingCode', () => {
  it('requestPairingCode() stores the code that WhatsApp accepted', async () => {
    const { creds, saved, request } = connect(ACCEPTED);
    const code = await request();
    expect(code).toMatch(/^[1-9A-HJ-NP-TV-Z]{8}$/);
    expect([creds.pairingCode, creds.me, saved]).toEqual([
      code,
      { id: `${number}@s.whatsapp.net`, name: '~' },
      [`${number}@s.whatsapp.net`],
    ]);
  });

  it.each([
    ['an unanswered request', undefined, { code: 'PLATFORM_TIMEOUT' }],
    ['an answer without a reference', { tag: 'iq', attrs: {} }, { message: expect.stringContaining('malformed') }],
  ])('requestPairingCode() stores nothing after %s', async (_, answer, error) => {
    const { creds, saved, request } = connect(answer);
    await expect(request()).rejects.toMatchObject(error);
    expect([creds.pairingCode, creds.me, saved]).toEqual([undefined, undefined, []]);
  });

  it('requestPairingCode() does not overwrite an account that was linked meanwhile', async () => {
    const { creds, saved, request } = connect(ACCEPTED);
    creds.account = {};
    await request();
    expect([creds.me, saved]).toEqual([undefined, []]);
  });

  it.each([
    ['Chrome', '1', 'Chrome (Windows)'],
    ['edge', '2', 'Edge (Windows)'],
    ['Safari', '6', 'Safari (Mac OS)'],
    // WhatsApp refuses unknown names.
    ['Acme', '1', 'Chrome (Windows)'],
  ])('requestPairingCode() sends the browser %s under a name that WhatsApp accepts', async (browser, id, display) => {
    const { request, sent } = connect(ACCEPTED, browser);
    await request();
    expect([sent('companion_platform_id'), sent('companion_platform_display')]).toEqual([id, display]);
  });
});
