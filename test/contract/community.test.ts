// The files for contributors: links, paths and commands in them exist, workflows are pinned and need few permissions, YAML parses.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };

const DOCUMENTS = [
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.github/pull_request_template.md',
];
const WORKFLOWS = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);
const read = (path: string) => readFileSync(path, 'utf8');

interface Step {
  uses?: string;
  run?: string;
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  jobs: Record<string, { 'timeout-minutes'?: number; permissions?: Record<string, string>; steps: Step[] }>;
}

const workflowOf = (path: string) => parse(read(path)) as Workflow;
const jobsOf = (path: string) => Object.values(workflowOf(path).jobs);

/** What is wrong with the commands of a text: npm scripts and vitest files that do not exist. */
function wrongCommands(text: string): string[] {
  const scripts = [...text.matchAll(/\bnpm (?:run (?:--silent )?(?=\w)|(?=test))(?<script>[\w:]+)/g)].map(
    ({ groups }) => groups?.script ?? '',
  );
  const files = [...text.matchAll(/vitest run --project \w+ (?<path>[\w./-]+)/g)].map(
    ({ groups }) => groups?.path ?? '',
  );
  return [...scripts.filter((name) => !(name in manifest.scripts)), ...files.filter((path) => !existsSync(path))];
}

describe.each(DOCUMENTS)('%s', (path) => {
  const text = read(path);

  it('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, target]) => target ?? '');
    expect(targets.filter((target) => !existsSync(target))).toEqual([]);
  });

  it('names files and commands that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|docs|openapi|packages|\.github)\/[^`\s…]*)`/g)].map(
      ([, one]) => one ?? '',
    );
    expect(named.filter((one) => globSync(one).length === 0)).toEqual([]);
    expect(wrongCommands(text)).toEqual([]);
  });

  it('has no addresses but those of the formats that it follows', () => {
    const hosts = [...text.matchAll(/https?:\/\/([^/\s)]+)/g)].map(([, host]) => host ?? '');
    expect(hosts.filter((host) => !['keepachangelog.com', 'semver.org'].includes(host))).toEqual([]);
    expect(text).not.toMatch(/[\w.]+@[\w-]+\.\w/);
  });
});

describe('CHANGELOG.md', () => {
  it('has the version of the package and what is not yet released', () => {
    const versions = [...read('CHANGELOG.md').matchAll(/^## \[(.*?)\]/gm)].map(([, version]) => version);
    expect(versions[0]).toBe('Unreleased');
    expect(versions).toContain(manifest.version);
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  it('runs npm scripts that exist', () => {
    const commands = jobsOf(path).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    expect(commands.flatMap(wrongCommands)).toEqual([]);
  });

  it('pins each action to a commit, with the version beside it', () => {
    const lines = read(path)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('may only read, except what a job asks for, and ends in time', () => {
    expect(workflowOf(path).permissions).toEqual({ contents: 'read' });
    const rights = jobsOf(path).flatMap(({ permissions = {} }) => Object.keys(permissions));
    expect(rights.filter((right) => !['contents', 'packages'].includes(right))).toEqual([]);
    expect(jobsOf(path).filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('puts no values of an event into shell commands', () => {
    const commands = jobsOf(path).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

describe('the workflows', () => {
  it('run the checks, the tests, the slow tests and the coverage report', () => {
    const commands = jobsOf('.github/workflows/check.yml').flatMap(({ steps }) => steps.map(({ run }) => run));
    expect(commands).toEqual(
      expect.arrayContaining(['npm run check', 'npm test', 'npm run test:slow', 'npm run coverage']),
    );
  });

  it('push images for tags only, and look for new versions every week', () => {
    expect(workflowOf('.github/workflows/release.yml').on).toEqual({ push: { tags: ['v*'] } });
    expect(workflowOf('.github/workflows/upgrade.yml').on.schedule).toHaveLength(1);
    const pushing = WORKFLOWS.filter((path) => read(path).includes('docker push'));
    expect(pushing).toEqual(['.github/workflows/release.yml']);
  });
});

describe('the forms of the repository', () => {
  it('ask for a problem with labels and fields', () => {
    for (const path of globSync('.github/ISSUE_TEMPLATE/*.yml').filter((one) => !one.endsWith('config.yml'))) {
      const form = parse(read(path)) as { name: string; description: string; body: { type: string }[] };
      expect(form, path).toMatchObject({ name: expect.any(String), description: expect.any(String) });
      expect(form.body.length, path).toBeGreaterThan(1);
    }
    expect(parse(read('.github/ISSUE_TEMPLATE/config.yml'))).toHaveProperty('blank_issues_enabled');
  });

  it('update packages, actions and base images, and leave Baileys to people', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; ignore?: { 'dependency-name': string }[] }[];
    };
    expect(updates.map((one) => one['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker']);
    expect(updates[0]?.ignore?.map((one) => one['dependency-name'])).toContain('@whiskeysockets/baileys');
  });
});
