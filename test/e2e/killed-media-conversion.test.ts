// A gateway process is killed while it converts audio: no file of the audio remains, and the next start removes the
// leftovers.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { emptyFolder } from '../support/folder.ts';
import { link, startStage } from '../support/killable-gateway.ts';
import { tone } from '../support/sounds.ts';

const ada = '15550017102';

/** Creates an ffmpeg that never ends. `pidFile` contains its process id once it has read its input. */
function createEndlessFfmpeg(): { path: string; pidFile: string } {
  const path = join(emptyFolder(), 'ffmpeg');
  const pidFile = `${path}.pid`;
  const lines = [
    '#!/bin/sh',
    'case "$*" in *-encoders*) echo libopus; exit;; esac',
    `for last in "$@"; do case "$last" in file:*) wc -c < "\${last#file:}" > ${path}.size;; esac; done`,
    `echo $$ > ${path}.new; mv ${path}.new ${pidFile}`,
    'exec sleep 600',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
  onTestFinished(() => {
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  });
  return { path, pidFile };
}

/** Processes that decode images for the process `parent`. */
function decodersOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const isChild = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent);
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-process');
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    })
    .map(Number);
}

it('a killed gateway leaves no audio file and no decoder process, and the next start removes its folder', async () => {
  const tmp = emptyFolder();
  const { path, pidFile } = createEndlessFfmpeg();
  const caFile = join(emptyFolder(), 'ca.pem');
  const world = await startStage({ TMPDIR: tmp, FFMPEG_PATH: path, NODE_EXTRA_CA_CERTS: caFile });
  writeFileSync(caFile, world.sandbox.caPem);
  const { program, api } = await world.start();
  await link(world, api, '15550017101');
  const png = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  const mediaMessage = { mediatype: 'image', media: png.toString('base64') };
  expect((await api('POST', '/message/sendMedia/shop', { number: ada, mediaMessage })).status).toBe(201);
  const decoders = decodersOf(program.pid);
  expect(decoders).toHaveLength(1);

  const sound = tone(2);
  const sending = api('POST', '/message/sendWhatsAppAudio/shop', {
    number: ada,
    audioMessage: { audio: sound.toString('base64') },
  });
  sending.catch(() => undefined);
  await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: 30_000 });
  expect(Number(readFileSync(`${path}.size`, 'utf8')), 'the number of bytes that ffmpeg could read').toBe(sound.length);
  await program.stop('SIGKILL');
  await expect(sending).rejects.toThrow();

  const [scratch = '', ...others] = readdirSync(tmp);
  expect(others).toEqual([]);
  expect(readdirSync(join(tmp, scratch)), 'files with a name in the temporary folder').toEqual([]);
  const isRunning = (pid: number) => existsSync(`/proc/${pid}`);
  await vi.waitFor(() => expect(decoders.filter(isRunning)).toEqual([]), { timeout: 30_000 });

  writeFileSync(join(tmp, scratch, 'audio3EB0AB-enc'), 'what a library wrote');
  const secondRun = await world.start();
  expect(await secondRun.program.line(/temporary_folder\.leftovers\.removed/)).toContain(scratch);
  expect(readdirSync(tmp)).not.toContain(scratch);
  expect(readdirSync(tmp)).toHaveLength(1);
  await secondRun.program.stop();
  expect(readdirSync(tmp)).toEqual([]);
});
