// Certificates for `wss:` and `https:` on loopback, made anew in each process: an authority of our own and a server certificate.
import { generate } from 'selfsigned';

export interface TlsIdentity {
  /** What clients must trust, PEM. */
  caPem: string;
  /** Server key and certificate, PEM. */
  key: string;
  cert: string;
}

/** Elliptic curve, because RSA keys would take longer to make than the rest of the start. */
const KEYS = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

let ofProcess: Promise<TlsIdentity> | undefined;

/** The authority and the server certificate (for 127.0.0.1, ::1 and localhost), the same for every sandbox of a process. */
export function createTlsIdentity(): Promise<TlsIdentity> {
  ofProcess ??= generateIdentity();
  return ofProcess;
}

async function generateIdentity(): Promise<TlsIdentity> {
  const ca = await generate([{ name: 'commonName', value: 'Sandbox authority' }], {
    ...KEYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...KEYS,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { caPem: ca.cert, key: server.private, cert: server.cert };
}
