// Decides which IP addresses the gateway is allowed to connect to, as a protection against server-side request forgery
// (SSRF). It checks addresses only; it neither resolves names nor opens connections.

import ipaddr from 'ipaddr.js';
import { trimEnd } from '../lib/trim.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The purpose of a connection. `public` is for pictures, media and link previews, and allows public addresses only.
 * `webhook` also allows addresses in the operator's network. `platform` is for the servers of WhatsApp and allows
 * public addresses only, unless a local sandbox takes the place of WhatsApp.
 */
export type Policy = 'public' | 'webhook' | 'platform';

export interface AddressPolicyOptions {
  /**
   * CIDRs or single addresses that every policy allows. Link-local, metadata, multicast, broadcast and unspecified
   * addresses stay forbidden.
   */
  allow: readonly string[];
  /** When true, the policy `webhook` allows public addresses only. */
  strict: boolean;
  /** When true, the policy `platform` also allows private addresses, for a sandbox in place of WhatsApp. */
  isSandbox?: boolean;
}

/** Returns null when `address` (IPv4 or IPv6 text) is allowed, otherwise the kind of the address in words. */
export type AddressCheck = (policy: Policy, address: string) => string | null;

/** Addresses that some policies allow: the kind in words, by the range name of ipaddr.js. */
const LOCAL_RANGES: Record<string, string> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: 'a private address',
};

const METADATA_KIND = 'a cloud metadata address';
/** Addresses that no setting can allow: the kind in words, by the range name of ipaddr.js. */
const FORBIDDEN_RANGES: Record<string, string> = {
  linkLocal: 'a link-local address',
  unspecified: 'the unspecified address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
};

// Metadata addresses that are not link-local, as documented by AWS and Google (IPv6), Alibaba, Oracle and Azure (host
// agent), in this order.
const METADATA_CIDRS = [
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
].map((cidr) => ipaddr.parseCIDR(cidr));

/** Creates the check. Throws an Error that names the first entry of `allow` that is neither a CIDR nor an address. */
export function createAddressCheck({ allow, strict, isSandbox = false }: AddressPolicyOptions): AddressCheck {
  const allowed = allow.map(toRange);
  const allowsLocal: Record<Policy, boolean> = { public: false, webhook: !strict, platform: isSandbox };
  return (policy, text) => {
    // process() converts IPv4-mapped IPv6 addresses (::ffff:…) to IPv4. toEmbeddedIPv4() converts transition addresses.
    const address = toEmbeddedIPv4(ipaddr.process(text));
    const range = address.range();
    if (matches(address, METADATA_CIDRS)) return METADATA_KIND;
    const forbidden = FORBIDDEN_RANGES[range];
    if (forbidden !== undefined) return forbidden;
    if (matches(address, allowed)) return null;
    const local = LOCAL_RANGES[range];
    if (local !== undefined) return allowsLocal[policy] ? null : local;
    return isGlobal(address) ? null : 'a reserved address';
  };
}

/**
 * A sentence that says whether the setting EGRESS_ALLOW can allow addresses of this kind (a result of AddressCheck).
 */
export function adviceFor(kind: string): string {
  const isAlwaysForbidden = kind === METADATA_KIND || Object.values(FORBIDDEN_RANGES).includes(kind);
  return isAlwaysForbidden ? 'EGRESS_ALLOW cannot open it.' : 'The operator can open it with EGRESS_ALLOW.';
}

/** The hostname of a URL without brackets and final dots: `::1` for `[::1]`, and `host` for `host.`. */
export function bareHost(hostname: string): string {
  return trimEnd(hostname.replace(/^\[|\]$/g, ''), '.');
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
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/**
 * Whether the address is global unicast. ipaddr.js calls every range that it does not know `unicast`. In IPv6, only
 * 2000::/3 (the first three bits are 001) is assigned.
 */
function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIPv4(address) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/**
 * The IPv4 address inside an IPv6 transition address (NAT64 64:ff9b::/96, 6to4 2002::/16, IPv4-compatible ::/96). For
 * any other address, the address itself.
 */
function toEmbeddedIPv4(address: Address): Address {
  if (isIPv4(address)) return address;
  const [first = 0, second = 0, third = 0] = address.parts;
  const [high = 0, low = 0] = address.parts.slice(6);
  const isMiddleZero = address.parts.slice(2, 6).every((part) => part === 0);
  if (first === 0x64 && second === 0xff9b && isMiddleZero) return toIPv4(high, low);
  if (first === 0x2002) return toIPv4(second, third);
  // `high` is 0 in the addresses :: and ::1, which contain no IPv4 address.
  if (first === 0 && second === 0 && isMiddleZero && high !== 0) return toIPv4(high, low);
  return address;
}

const isIPv4 = (address: Address): address is ipaddr.IPv4 => 'octets' in address;

/** The IPv4 address of two 16-bit halves. */
function toIPv4(high: number, low: number): Address {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
