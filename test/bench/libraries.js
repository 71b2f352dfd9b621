// What a gateway cannot start without: the libraries of each connection and request, as far as it loads them, and a server
// that answers. It has the compile cache of the gateway, without which Node's TypeScript compiler would be loaded.
import fastify from 'fastify';
import 'kysely';
import pino from 'pino';
import '../../src/egress/undici.ts';
import '../../src/whatsapp/baileys/library.ts';

const server = fastify({ loggerInstance: pino({ level: 'warn' }) });
server.get('/livez', async () => ({ status: 'ok' }));
await server.listen({ host: process.env.HOST, port: Number(process.env.PORT) });
process.on('SIGTERM', () => process.exit());
