// A worker thread that posts the script of the viewer of /docs, compressed. The package of Scalar holds the script as a
// string of 5 MB in its code, so importing it on the main thread would cost 25 MB for the life of the process.
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const app = Fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`The viewer has no script at /docs/js/scalar.js: status ${statusCode}`);
parentPort?.postMessage(gzipSync(rawPayload));
