// Entry of `npm run sandbox`: starts the sandbox (a simulated WhatsApp platform), its control API and the gateway of
// this repository. With the option `--platform`, it does not start the gateway. The published package does not contain
// this file.
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { platform: { type: 'boolean', default: false } } });
// The imports are dynamic, so that `--platform` does not load the gateway.
if (values.platform) {
  const { runPlatform } = await import('./platform.ts');
  await runPlatform(process.env);
} else {
  const { runWithGateway } = await import('./with-gateway.ts');
  await runWithGateway(process.env);
}
