// xmlns `w:m`: which media host to use, and the token that it asks for.
import type { MediaHost } from '../media-host.ts';
import { element } from '../node.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Seconds that a client may use a token before it asks again. */
const TTL = 3600;

export function createMediaConnection(host: MediaHost): IqHandler {
  return (_companion, iq) => {
    if (requestOf(iq)?.tag !== 'media_conn') return undefined;
    const hosts = [element('host', { hostname: host.hostname, maxContentLengthBytes: String(host.maxBytes) })];
    const attrs = { auth: host.authorise(), ttl: String(TTL), auth_ttl: String(TTL), max_buckets: '12' };
    return { content: [element('media_conn', attrs, hosts)] };
  };
}
