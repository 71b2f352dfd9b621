// Loaded before each program that npm starts (`node --import`): refuses a Node that is too old, and reads .env. Not TypeScript, which an
// old Node cannot read. `--env-file-if-exists` reports every missing file, and most installations have none.
import { existsSync, readFileSync } from 'node:fs';
import tls from 'node:tls';

const OLDEST_NODE = 24;
/** The exit code of a start that ends the same way each time (exit.ts). */
const UNUSABLE = 78;
const ENV_FILE = '.env';

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `messaging-gateway: needs Node ${OLDEST_NODE} or newer and runs on ${process.versions.node}. Run npm ci with the development packages, which bring Node 26, or install a newer Node.\n`,
  );
  process.exit(UNUSABLE);
}

const extraBefore = process.env.NODE_EXTRA_CA_CERTS;
if (existsSync(ENV_FILE)) process.loadEnvFile(ENV_FILE);
// Node reads this variable before it loads any file.
const extra = process.env.NODE_EXTRA_CA_CERTS;
if (extra && !extraBefore) {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(extra, 'utf8')]);
}
