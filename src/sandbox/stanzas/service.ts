// Small services around a connection: ping, telemetry, dirty bits, experiment properties, account standing, and the
// client's own unlinking.
import { QueryIds, XWAPaths } from '@whiskeysockets/baileys';
import type { Devices } from '../devices.ts';
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

/** `w:mex` answers in JSON, by the number of the query: nobody here is restricted or capped. */
const STANDING: Readonly<Record<string, Record<string, unknown>>> = {
  [QueryIds.REACHOUT_TIMELOCK]: {
    [XWAPaths.xwa2_fetch_account_reachout_timelock]: {
      is_active: false,
      time_enforcement_ends: '0',
      enforcement_type: 'DEFAULT',
    },
  },
  [QueryIds.MESSAGE_CAPPING_INFO]: {
    [XWAPaths.xwa2_message_capping_info]: { capping_status: 'NONE' },
  },
};

/** `w:mex` */
export const standing: IqHandler = (_companion, iq) => {
  const data = STANDING[requestOf(iq)?.attrs.query_id ?? ''];
  return data && { content: [element('result', {}, JSON.stringify({ data }))] };
};

/** `w:biz`: nobody here is a business, which clients read from a profile list without profiles. */
export const business: IqHandler = (_companion, iq) =>
  requestOf(iq)?.tag === 'business_profile' ? { content: [element('business_profile')] } : undefined;

/** `md` of a linked client: it unlinks itself and is told so like everybody who is unlinked. */
export function createUnlinking(devices: Devices): IqHandler {
  return (companion, iq) =>
    requestOf(iq)?.tag === 'remove-companion-device' ? { after: () => devices.remove(companion) } : undefined;
}
