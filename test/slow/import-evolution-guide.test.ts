// Runs the commands of docs/guides/migrate-from-evolution.md with an installation of Evolution API and a gateway.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { codeBlocks } from '../support/docs.ts';
import { writeEvolution2 } from '../support/evolution-layouts.ts';
import { install, instanceRow, SHOP_NUMBER } from '../support/evolution-sources.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY, startWorld } from '../support/gateway.ts';
import { createOldState } from '../support/old-states.ts';
import { describeWithServices, REDIS_URL } from '../support/services.ts';

await describeWithServices(['Redis'], 'docs/guides/migrate-from-evolution.md', () => {
  it('the commands of migrate-from-evolution.md move an instance, which then opens without a QR code', async () => {
    const world = await startWorld();
    const installation = await install('PostgreSQL', '2.3');
    const state = await createOldState(world.sandbox, 'baileys 7.0.0-rc14', SHOP_NUMBER);
    await writeEvolution2(
      installation,
      'creds in SQL, keys in Redis',
      instanceRow({ token: 'key-of-the-instance-shop' }),
      state,
    );
    const keyFile = join(emptyFolder(), 'gateway-key');
    writeFileSync(keyFile, KEY);
    const script = codeBlocks('docs/guides/migrate-from-evolution.md', 'sh')
      .filter((block) => block.includes('--from evolution '))
      .join('\n')
      .replace(/(SOURCE_DATABASE)=\S+/, `$1='${installation.url}'`)
      .replace(/(SOURCE_REDIS)=\S+/, `$1='${REDIS_URL}'`)
      .replaceAll('--path instances', `--path ${installation.folder} --redis-prefix ${installation.prefix}`)
      .replaceAll('http://127.0.0.1:8080', world.url)
      .replaceAll(/\bgateway-key\b/g, keyFile)
      .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ');
    const { stdout } = await promisify(execFile)('sh', ['-ec', script]);
    expect(stdout).toContain('1 session: 1 written.');
    expect(stdout).toContain('"state":"open"');
  });
});
