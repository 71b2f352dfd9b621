// TLS of the server (SERVER_TYPE=https). The certificate is read at startup and reloaded after its files have changed.
// Large responses are sent in pieces. Decisions D-126 and D-189.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createSecureContext, Server } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';
import { toPieces } from '../../lib/chunks.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';

type TlsConfig = Pick<Config, 'serverType' | 'sslConfPrivkey' | 'sslConfFullchain'>;

/** A private key and its certificate, both in PEM format. */
export interface KeyAndCertificate {
  key: Buffer;
  cert: Buffer;
}

const HOUR_MS = 3_600_000;
/** Size of the pieces of a large response. */
const PIECE_BYTES = 64 * 1024;

/**
 * The configured certificate; undefined for plain HTTP. Throws an Error for the operator when a file is unreadable or
 * the files do not match.
 */
export function readCertificate({
  serverType,
  sslConfPrivkey,
  sslConfFullchain,
}: TlsConfig): KeyAndCertificate | undefined {
  if (serverType === 'http') return undefined;
  const certificate = {
    key: readConfiguredFile('SSL_CONF_PRIVKEY', sslConfPrivkey),
    cert: readConfiguredFile('SSL_CONF_FULLCHAIN', sslConfFullchain),
  };
  try {
    // Only checks the files. The server creates its own context.
    createSecureContext(certificate);
  } catch (cause) {
    const files = `SSL_CONF_PRIVKEY ${sslConfPrivkey} and SSL_CONF_FULLCHAIN ${sslConfFullchain}`;
    throw new Error(`${files} are not a key and its certificate in PEM format.`, { cause });
  }
  return certificate;
}

function readConfiguredFile(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new Error(`${setting} ${file} cannot be read (${code}).`, { cause });
  }
}

/**
 * Sends large responses in pieces. Node.js encrypts all bytes of one write call at once, so a response in one call
 * would stay in memory until the client has read all of it. Until then, Node.js would see no progress, and would close
 * the connection of a slow client. Call this function after the other `onSend` hooks are registered: a later hook would
 * get a stream.
 */
export function sendInPieces(app: FastifyInstance): void {
  const server: unknown = app.server;
  if (!(server instanceof Server)) return;
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || payload.length <= PIECE_BYTES || request.method === 'HEAD') return done(null, payload);
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    reply.header('content-length', bytes.length);
    done(null, Readable.from(toPieces(bytes, PIECE_BYTES), { objectMode: false }));
  });
}

/**
 * Checks the files every hour and uses a new certificate for new connections. An invalid certificate is logged and
 * ignored.
 */
export function renewCertificate(app: FastifyInstance, config: TlsConfig, clock: Clock = systemClock): void {
  const server: unknown = app.server;
  if (!(server instanceof Server)) return;
  let current = readCertificate(config);
  const renew = async (): Promise<void> => {
    try {
      const loaded = readCertificate(config);
      if (!loaded || (current?.cert.equals(loaded.cert) && current.key.equals(loaded.key))) return;
      server.setSecureContext(loaded);
      current = loaded;
      app.log.info('certificate.renewed');
    } catch (err) {
      app.log.error({ err }, 'certificate.renewal.failed');
    }
  };
  const task = new PeriodicTask({ clock, first: HOUR_MS, every: HOUR_MS, work: renew });
  app.addHook('onReady', async () => task.start());
  app.addHook('onClose', async () => task.stop());
}
