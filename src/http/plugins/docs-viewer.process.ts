// A process that writes the script of the viewer of /docs, compressed, to standard output. The package of Scalar holds
// the script as a string of 5 MB in its code and gives it out only as a route.
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const app = Fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
if (statusCode !== 200) throw new Error(`The viewer has no script at /docs/js/scalar.js: status ${statusCode}`);
process.stdout.write(gzipSync(rawPayload));
