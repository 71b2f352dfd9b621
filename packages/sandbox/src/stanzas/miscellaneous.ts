// Small services of a connection: ping, telemetry, dirty bits, experiment properties, unlinking by the client.
import { type BinaryNode, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import type { Devices } from '../devices.ts';
import type { Business, World } from '../model.ts';
import { element } from '../node.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Answers with an empty result when the request is one of these elements. */
const accept =
  (...tags: string[]): IqHandler =>
  (_companion, iq) =>
    tags.includes(requestOf(iq)?.tag ?? '') ? {} : undefined;

/** `w:p` */
export const ping = accept('ping');
/** `w:stats` */
export const telemetry = accept('add');
/** `urn:xmpp:whatsapp:dirty` */
export const dirty = accept('clean');

/** Experiments that change what clients send: tokens on direct messages and picture queries, not issued to LIDs. */
const PROPERTIES: Readonly<Record<string, string>> = { 10518: '1', 9666: '1', 14303: '0' };

/** `abt` */
export const properties: IqHandler = (_companion, iq) => {
  if (requestOf(iq)?.tag !== 'props') return undefined;
  const props = Object.entries(PROPERTIES).map(([code, value]) =>
    element('prop', { config_code: code, config_value: value }),
  );
  return { content: [element('props', { protocol: '1', hash: 'sandbox', refresh: '86400' }, props)] };
};

/** `w:biz`: who is no business is left out of the answer. */
export function createBusinesses(world: World): IqHandler {
  return (_companion, iq) => {
    const request = requestOf(iq);
    if (request?.tag !== 'business_profile') return undefined;
    const profiles = getBinaryNodeChildren(request, 'profile').flatMap(({ attrs: { jid = '' } }) => {
      const business = world.byJid(jid)?.business;
      return business ? [element('profile', { jid }, profileOf(business))] : [];
    });
    return { content: [element('business_profile', { v: request.attrs.v }, profiles)] };
  };
}

function profileOf({ description, website, address, email, category }: Business): BinaryNode[] {
  const text = (tag: string, content: string | undefined) => (content ? [element(tag, {}, Buffer.from(content))] : []);
  return [
    ...text('description', description),
    ...website.flatMap((each) => text('website', each)),
    ...text('address', address),
    ...text('email', email),
    ...(category ? [element('categories', {}, text('category', category))] : []),
  ];
}

/** `md` of a linked client: it unlinks itself and receives the same stanza as every unlinked client. */
export function createUnlinking(devices: Devices): IqHandler {
  return (companion, iq) =>
    requestOf(iq)?.tag === 'remove-companion-device' ? { after: () => devices.remove(companion) } : undefined;
}
