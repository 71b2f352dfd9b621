// What a gateway cannot start without: the libraries of each connection and request, and a server that answers. It has
// the compile cache of the gateway. It is JavaScript, so that Node's TypeScript compiler is not loaded.
import '@whiskeysockets/baileys';
import fastify from 'fastify';
import 'kysely';
import pino from 'pino';
import 'undici';

const server = fastify({ loggerInstance: pino({ level: 'warn' }) });
server.get('/livez', async () => ({ status: 'ok' }));
await server.listen({ host: process.env.HOST, port: Number(process.env.PORT) });
process.on('SIGTERM', () => process.exit());
