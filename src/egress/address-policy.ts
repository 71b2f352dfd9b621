// Which addresses we may connect to, in whatever form they are written. Decides about addresses only: no names, no sockets.

import ipaddr from 'ipaddr.js';
import { trimEndOf } from '../lib/trim.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * `public`: pictures, media, previews. `webhook`: the operator's own network is welcome, the machine's metadata is not. `platform`: the
 * platform's own hosts, as public as anybody's unless it is a pretend one.
 */
export type Policy = 'public' | 'webhook' | 'platform';

export interface GuardOptions {
  /** CIDRs (or single addresses) that count as public for both policies. Never opens link-local, metadata or multicast. */
  allow: readonly string[];
  /** True: webhooks may reach public addresses only, too. */
  strict: boolean;
  /** True: the platform is one for tests, in our own network. */
  isPlatformLocal?: boolean;
}

/** Null when `address` (IPv4 or IPv6 text) may be connected to, else what kind of address it is, for people to read. */
export type Guard = (policy: Policy, address: string) => string | null;

const LOCAL: Record<string, string> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: 'a private address',
};

const METADATA_REASON = 'a cloud metadata address';
const NEVER: Record<string, string> = {
  linkLocal: 'a link-local address',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
};

// 169.254.169.254 and its neighbours are link-local; these are the documented ones that are not:
// AWS and Google over IPv6, Alibaba, Oracle, Azure's host agent.
const METADATA = ['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'].map(
  (cidr) => ipaddr.parseCIDR(cidr),
);

/** Throws Error naming the entry of `allow` that is not a CIDR or an address. */
export function createGuard({ allow, strict, isPlatformLocal = false }: GuardOptions): Guard {
  const allowed = allow.map(toRange);
  const mayBeLocal: Record<Policy, boolean> = { public: false, webhook: !strict, platform: isPlatformLocal };
  return (policy, text) => {
    const address = embedded(ipaddr.process(text));
    const range = address.range();
    if (matches(address, METADATA)) return METADATA_REASON;
    const never = NEVER[range];
    if (never !== undefined) return never;
    if (matches(address, allowed)) return null;
    const local = LOCAL[range];
    if (local !== undefined) return mayBeLocal[policy] ? null : local;
    return isGlobal(address) ? null : 'a reserved address';
  };
}

/** What the operator can do about an address of this kind: a sentence that names the setting. `kind` is what the guard answers. */
export function settingToAllow(kind: string): string {
  const isNever = kind === METADATA_REASON || Object.values(NEVER).includes(kind);
  return isNever ? 'EGRESS_ALLOW cannot open it.' : 'The operator can open it with EGRESS_ALLOW.';
}

/** `[::1]`, `127.0.0.1`, `host.`: the hostname of a URL without brackets and trailing dots. */
export function bareHost(hostname: string): string {
  return trimEndOf(hostname.replace(/^\[|\]$/g, ''), '.');
}

function toRange(entry: string): [Address, number] {
  try {
    const [address, bits] = ipaddr.parseCIDR(
      entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`,
    );
    return [address, bits];
  } catch (cause) {
    throw new Error(`not a CIDR or an address: ${entry}`, { cause });
  }
}

function matches(address: Address, ranges: readonly [Address, number][]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

/** Only 2000::/3 is given out as global unicast; the library calls everything it has no name for unicast. */
function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return 'octets' in address || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** The IPv4 address that an IPv6 transition form leads to (NAT64 64:ff9b::/96, 6to4 2002::/16, ::/96), or the address itself. */
function embedded(address: Address): Address {
  if ('octets' in address) return address;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  const middleIsZero = c === 0 && d === 0 && e === 0 && f === 0;
  if (a === 0x64 && b === 0xff9b && middleIsZero) return fromParts(g, h);
  if (a === 0x2002) return fromParts(b, c);
  if (a === 0 && b === 0 && middleIsZero && g !== 0) return fromParts(g, h);
  return address;
}

function fromParts(high: number, low: number): Address {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
