// Runs the PostgreSQL server of a test run in a process of its own. It sends the port to its parent. It stops when the
// parent sends a message or disconnects.
import { startPostgres } from './postgres.ts';

const server = await startPostgres();
let isStopping = false;

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await server.stop();
  process.exit(0);
}

process.once('message', () => void stop());
process.once('disconnect', () => void stop());
process.send?.(server.port);
