// Free ports for processes that need a port number before they listen.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of ports. It is below the ports that the system assigns to outgoing connections, because the system could
 * assign such a port after the check and before the process listens.
 */
const FROM = 10_240;
const TO = 32_000;

/** A port of the loopback address without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
