// Answers small queries: telemetry, experiments, business profiles, unlinking, and `<clean>`, with which a client
// confirms `<dirty>` (the server's notice that account data could have changed).
import { type BinaryNode, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';
import type { Devices } from '../world/devices.ts';
import type { Business, World } from '../world/model.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Creates a handler that answers requests with this tag with an empty result. */
const createEmptyAnswerHandler =
  (tag: string): IqHandler =>
  (_companion, iq) =>
    requestOf(iq)?.tag === tag ? {} : undefined;

/** xmlns `w:stats` */
export const telemetry = createEmptyAnswerHandler('add');
/** xmlns `urn:xmpp:whatsapp:dirty` */
export const dirty = createEmptyAnswerHandler('clean');

/**
 * WhatsApp's experiments (feature flags) by number: 1 is on, 0 is off. They decide whether clients add tokens of
 * trusted contacts to direct messages (10518) and to picture queries (9666), issue such tokens to LIDs instead of phone
 * numbers (14303), and compute tokens for first contacts (24941).
 */
const EXPERIMENTS: Readonly<Record<string, string>> = { 10518: '1', 9666: '1', 14303: '0', 24941: '1' };

/** Number of seconds after which clients request the experiments again. */
const REFRESH_SECONDS = '86400';

/** xmlns `abt`: the experiments by number. */
export const experiments: IqHandler = (_companion, iq) => {
  if (requestOf(iq)?.tag !== 'props') return undefined;
  const props = Object.entries(EXPERIMENTS).map(([code, value]) =>
    element('prop', { config_code: code, config_value: value }),
  );
  return { content: [element('props', { protocol: '1', hash: 'sandbox', refresh: REFRESH_SECONDS }, props)] };
};

/** xmlns `w`: the experiments by name, which clients from before 2025 request. The sandbox has no named experiments. */
export const namedExperiments: IqHandler = (_companion, iq) => {
  const request = requestOf(iq);
  if (request?.tag !== 'props') return undefined;
  const attrs = { protocol: request.attrs.protocol, hash: 'sandbox', refresh: REFRESH_SECONDS };
  return { content: [element('props', attrs)] };
};

/** xmlns `w:biz`: business profiles. The answer contains no profile for private accounts. */
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

/**
 * xmlns `md` of a linked client: the client unlinks itself. Like every unlinked client, it gets an error stanza (401).
 */
export function createUnlinking(devices: Devices): IqHandler {
  return (companion, iq) =>
    requestOf(iq)?.tag === 'remove-companion-device' ? { after: () => devices.remove(companion) } : undefined;
}
