// Who may read the metrics, beside whoever has the global key.
import { hash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';

/** Whether somebody at this address may ask. */
export type AllowedIps = (address: string) => boolean;

/** The addresses and networks of METRICS_ALLOWED_IPS; none: everybody. */
export function allowedIps(list: readonly string[]): AllowedIps {
  if (list.length === 0) return () => true;
  const allowed = new BlockList();
  for (const each of list) {
    const [address = '', bits] = each.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) allowed.addAddress(address, family);
    else allowed.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // A server that listens on both families sees the old one inside the new one.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    return allowed.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Whether an Authorization header names this user with this password; without a password nobody is. */
export function isUser(header: string | undefined, { user, password }: { user: string; password: string }): boolean {
  const given = /^basic +(\S+)$/i.exec(header ?? '')?.[1];
  if (given === undefined || password === '') return false;
  return timingSafeEqual(digest(Buffer.from(given, 'base64').toString()), digest(`${user}:${password}`));
}
