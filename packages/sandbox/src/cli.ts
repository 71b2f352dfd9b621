// The entry of `npm run sandbox`. `--platform` starts the simulated platform and its controls alone, for a gateway that is started apart.
// Without it, the gateway of this repository starts with the platform. The published package does not contain this file.
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { platform: { type: 'boolean', default: false } } });
if (values.platform) {
  const { runPlatform } = await import('./platform.ts');
  await runPlatform(process.env);
} else {
  const { runWithGateway } = await import('./with-gateway.ts');
  await runWithGateway(process.env);
}
