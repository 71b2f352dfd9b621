// The certificate of the gateway itself, for operators without a proxy in front of it: read at the start, and again when its files change.
import { readFileSync } from 'node:fs';
import { createSecureContext, Server } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';

type Files = Pick<Config, 'serverType' | 'sslConfPrivkey' | 'sslConfFullchain'>;

export interface Certificate {
  /** PEM. */
  key: Buffer;
  cert: Buffer;
}

const HOUR = 3_600_000;

/** Undefined where plain HTTP is served. Throws an Error for the operator when a file cannot be read or the two do not fit. */
export function readCertificate({ serverType, sslConfPrivkey, sslConfFullchain }: Files): Certificate | undefined {
  if (serverType === 'http') return undefined;
  const certificate = {
    key: read('SSL_CONF_PRIVKEY', sslConfPrivkey),
    cert: read('SSL_CONF_FULLCHAIN', sslConfFullchain),
  };
  try {
    createSecureContext(certificate);
  } catch (cause) {
    const files = `SSL_CONF_PRIVKEY ${sslConfPrivkey} and SSL_CONF_FULLCHAIN ${sslConfFullchain}`;
    throw new Error(`${files} are not a key and its certificate, PEM.`, { cause });
  }
  return certificate;
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new Error(`${setting} ${file} cannot be read (${code}).`, { cause });
  }
}

/** Looks every hour whether the files hold another certificate, and uses it for new connections; one that is not usable changes nothing. */
export function renewCertificate(app: FastifyInstance, files: Files, clock: Clock = systemClock): void {
  const server: unknown = app.server;
  if (!(server instanceof Server)) return;
  let used = readCertificate(files);
  const work = async (): Promise<void> => {
    try {
      const found = readCertificate(files);
      if (!found || (used?.cert.equals(found.cert) && used.key.equals(found.key))) return;
      server.setSecureContext(found);
      used = found;
      app.log.info('certificate.renewed');
    } catch (err) {
      app.log.error({ err }, 'certificate.unusable');
    }
  };
  const rounds = new PeriodicTask({ clock, first: HOUR, every: HOUR, work });
  app.addHook('onReady', async () => rounds.start());
  app.addHook('onClose', async () => rounds.stop());
}
