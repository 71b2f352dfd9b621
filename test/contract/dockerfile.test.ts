// Checks of the Dockerfile, of .dockerignore and of the compose examples of docs/deploy/docker.md.
// test/slow/image.test.ts runs the steps of the build.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { commandOf, stagesOf, textsOf } from '../support/dockerfile.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';

const text = readFileSync('Dockerfile', 'utf8');
const stages = stagesOf(text);
const stageOf = (name: string) => stages.get(name) ?? [];
const instructions = [...stages.values()].flat();

interface Service {
  environment: Record<string, string>;
  stop_grace_period: string;
  read_only: boolean;
  volumes: string[];
  tmpfs: string[];
}

const examples = [...readFileSync('docs/deploy/docker.md', 'utf8').matchAll(/```yaml\n(# compose\.yaml.*?)```/gs)].map(
  ([, yaml = '']): { services: { gateway: Service } } => parse(yaml),
);

describe('the Dockerfile', () => {
  it('the Dockerfile passes the linter', () => {
    expect(validate(text)).toEqual([]);
    expect(validate('FROM node\nHEALTHCHEK x\n'), 'a Dockerfile with a mistake').toHaveLength(1);
  });

  it('the Dockerfile builds every stage on NODE_IMAGE, which a build argument can replace', () => {
    const [name] = textsOf(stageOf(''), 'ARG');
    expect(name).toBe('NODE_IMAGE=node:26-slim');
    expect(textsOf(instructions, 'FROM')).toEqual(
      ['packages', 'sandbox-packages', 'sandbox', 'gateway'].map((stage) => `\${NODE_IMAGE} AS ${stage}`),
    );
  });

  it('the Dockerfile copies exactly the paths that .dockerignore allows, and all of them exist', () => {
    const [everything, ...allowed] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(everything).toBe('*');
    const copied = instructions
      .filter(({ keyword, text }) => keyword === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(new Set(copied)).toEqual(new Set(allowed.map((line) => line.slice(1))));
  });

  it.each([
    ['gateway', '/livez'],
    ['sandbox', 'SANDBOX_PORT'],
  ])('the %s image runs as an unprivileged user under tini and defines its stop signal and its health check', (name, probe) => {
    const image = stageOf(name);
    const users = textsOf(image, 'USER');
    expect(users).toEqual(['node']);
    const order = image.map(({ keyword }) => keyword);
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'));
    expect(commandOf(textsOf(image, 'ENTRYPOINT')[0] ?? '')).toEqual(['/usr/bin/tini', '--']);
    expect(textsOf(image, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(textsOf(image, 'HEALTHCHECK')[0]).toContain(probe);
    expect(textsOf(image, 'ENV')[0]).toContain('DATA_DIR=/data');
    expect(textsOf(image, 'ADD')).toEqual([]);
  });
});

describe('the compose files of docs/deploy/docker.md', () => {
  it.each(
    examples,
  )('compose example %# of docker.md gives the gateway a read-only root, its data volume and time to stop', ({
    services: { gateway },
  }) => {
    expect(Object.keys(gateway.environment).filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(Number.parseInt(gateway.stop_grace_period, 10) * 1000).toBeGreaterThan(SETTINGS.SHUTDOWN_TIMEOUT.default);
    expect(gateway).toMatchObject({ read_only: true, volumes: ['data:/data'], tmpfs: ['/tmp:size=2g'] });
  });

  it('the .env command of docker.md generates secrets that the settings and a URL accept', () => {
    const block = codeBlocks('docs/deploy/docker.md', 'sh').find((one) => one.includes('cat > .env')) ?? '';
    const cwd = emptyFolder();
    execFileSync('sh', ['-ec', block], { cwd });
    const file = join(cwd, '.env');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { POSTGRES_PASSWORD = '', ...secrets } = parseEnv(readFileSync(file, 'utf8'));
    const url = `postgres://gateway:${POSTGRES_PASSWORD}@db/gateway`;
    expect(new URL(url).password).toBe(POSTGRES_PASSWORD);
    expect(loadConfig({ ...secrets, DATABASE_URL: url, DATA_DIR: cwd })).toMatchObject({
      apiKey: secrets.API_KEY,
      encryptionKey: secrets.ENCRYPTION_KEY,
    });
    expect(Object.keys(secrets).sort()).toEqual(['API_KEY', 'ENCRYPTION_KEY']);
  });

  it('docker.md has one compose example with SQLite and one with PostgreSQL', () => {
    expect(examples.map(({ services }) => Object.keys(services))).toEqual([['gateway'], ['gateway', 'db']]);
  });
});
