// Sends queries of the namespace `usync` (user sync), which ask for data of people.
import { takeRandomBytes } from '../lib/random-bytes.ts';
import { childOf, type Stanza } from './baileys/stanza.ts';
import { queryWhatsApp } from './query.ts';
import type { Session } from './session.ts';

/**
 * Asks for data of one person. `user` is the element that names the person. Each element of `protocols` names one kind
 * of data. Returns the element `user` of the answer, or undefined when the answer has no such element. Throws the
 * errors of queryWhatsApp().
 */
export async function queryUser(
  session: Session,
  user: Stanza,
  protocols: readonly Stanza[],
): Promise<Stanza | undefined> {
  const attrs = {
    sid: takeRandomBytes(8).toString('hex'),
    mode: 'query',
    last: 'true',
    index: '0',
    context: 'interactive',
  };
  const content = [
    { tag: 'query', attrs: {}, content: [...protocols] },
    { tag: 'list', attrs: {}, content: [user] },
  ];
  const answer = await queryWhatsApp(session, {
    tag: 'iq',
    attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'usync' },
    content: [{ tag: 'usync', attrs, content }],
  });
  return childOf(childOf(childOf(answer, 'usync'), 'list'), 'user');
}
