// From spawn to the first answer, and to all instances open.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkChild, startGateway } from './child.ts';
import { median, table } from './figures.ts';
import { KEY, type Provisioned } from './linked.ts';

export async function benchStart() {
  const platform = await forkChild('./platform.ts');
  const place = await platform.ask<Provisioned>({ do: 'provision', number: '15560000009' });
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
    const gateway = await startGateway({
      DATA_DIR: dataDir,
      API_KEY: KEY,
      PLATFORM_URL: place.url,
      PLATFORM_ROOT_KEY: place.rootKey,
    });
    times.push(gateway.readyAfter);
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const rows = [{ runs: times.length, 'median ms': median(times), 'max ms': Math.max(...times) }];
  table('start-up: spawn to first answer', rows);
  await platform.stop();
  return rows;
}
