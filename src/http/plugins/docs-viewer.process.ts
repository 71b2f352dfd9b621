// A child process that writes the script of Scalar, the viewer at /docs, compressed to standard output. The npm package
// of Scalar contains the script as a string of 5 MB and exposes it only as a Fastify route, which this process calls.
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const app = Fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`The viewer has no script at /docs/js/scalar.js: status ${statusCode}`);
process.stdout.write(gzipSync(rawPayload));
