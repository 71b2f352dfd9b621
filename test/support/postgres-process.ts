// The PostgreSQL server of a test run as a process of its own: tells its parent the port, and stops when the parent says so or is gone.
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
