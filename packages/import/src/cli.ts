#!/usr/bin/env node
// The command messaging-gateway-import: moves linked WhatsApp sessions between programs, without a new QR code.
import { run } from './run.ts';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // Registered with `once`, so that a second signal of the same name ends the process.
  process.once(name, () => {
    controller.abort();
    process.stderr.write('Stopping after this session. Press Ctrl-C again to stop now.\n');
  });
}

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: controller.signal,
});
