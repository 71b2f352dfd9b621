// Decides who can read the metrics: by IP address, and by the credentials METRICS_USER and METRICS_PASSWORD. Decision
// D-137.
import { hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';

/** Whether a client with this IP address is allowed to read metrics. */
export type IpFilter = (address: string) => boolean;

/** Creates the filter for METRICS_ALLOWED_IPS. An empty list allows every address. */
export function createIpFilter(list: readonly string[]): IpFilter {
  if (list.length === 0) return () => true;
  const allowed = new BlockList();
  for (const each of list) {
    const [address = '', bits] = each.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) allowed.addAddress(address, family);
    else allowed.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // A dual-stack server reports IPv4 addresses as ::ffff:a.b.c.d.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    return allowed.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

/** The texts are hashed, because timingSafeEqual() compares only buffers of the same length. */
const digest = (text: string) => hash('sha256', text, 'buffer');

/** Whether an Authorization header (Basic) has these credentials. False for every header when `password` is empty. */
export function hasCredentials(
  header: string | undefined,
  { user, password }: { user: string; password: string },
): boolean {
  const encoded = /^basic +(\S+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined || password === '') return false;
  return timingSafeEqual(digest(Buffer.from(encoded, 'base64').toString()), digest(`${user}:${password}`));
}
