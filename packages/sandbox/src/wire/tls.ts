// Certificates for `wss:` and `https:`: a certificate authority (CA) and a server certificate.
import { isIP } from 'node:net';
import { generate } from 'selfsigned';
import { LOOPBACK } from './address.ts';

export interface TlsIdentity {
  /** The certificate of the CA, which clients must trust, PEM. */
  caPem: string;
  /** Private key of the server, PEM. */
  key: string;
  /** Certificate of the server, which the CA signed, PEM. */
  cert: string;
}

/** Elliptic curve, because creating RSA keys would take longer than the rest of the startup. */
const KEY_OPTIONS = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** Kinds of alternative names in a certificate (RFC 5280, GeneralName). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** The identities that this process has created, by host. */
const identities = new Map<string, Promise<TlsIdentity>>();

/**
 * Returns a CA and a server certificate for 127.0.0.1, ::1, localhost and `host` (IP address or host name). The first
 * call with a host creates them; later calls return the same identity.
 */
export function getTlsIdentity(host = LOOPBACK): Promise<TlsIdentity> {
  const identity = identities.get(host) ?? generateIdentity(host);
  identities.set(host, identity);
  return identity;
}

async function generateIdentity(host: string): Promise<TlsIdentity> {
  const ca = await generate([{ name: 'commonName', value: 'Sandbox authority' }], {
    ...KEY_OPTIONS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...KEY_OPTIONS,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: DNS_NAME, value: 'localhost' },
          { type: IP_ADDRESS, ip: '127.0.0.1' },
          { type: IP_ADDRESS, ip: '::1' },
          isIP(host) ? { type: IP_ADDRESS, ip: host } : { type: DNS_NAME, value: host },
        ],
      },
    ],
  });
  return { caPem: ca.cert, key: server.private, cert: server.cert };
}
