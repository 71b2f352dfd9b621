// Checks of the files for contributors. Links, paths and commands in them exist. Workflows pin their actions and need
// few permissions. YAML files parse.
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

/** The npm scripts and test files in the commands of a text that do not exist. */
function missingTargets(text: string): string[] {
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

  it('a document for contributors links only to files that exist', () => {
    const targets = [...text.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, target]) => target ?? '');
    expect(targets.filter((target) => !existsSync(target))).toEqual([]);
  });

  it('a document for contributors names only files and commands that exist', () => {
    const paths = [...text.matchAll(/`((?:src|test|docs|openapi|packages|\.github)\/[^`\s…]*)`/g)].map(
      ([, one]) => one ?? '',
    );
    expect(paths.filter((one) => globSync(one).length === 0)).toEqual([]);
    expect(missingTargets(text)).toEqual([]);
  });

  it('a document for contributors has no email address and no hosts except keepachangelog.com and semver.org', () => {
    const hosts = [...text.matchAll(/https?:\/\/([^/\s)]+)/g)].map(([, host]) => host ?? '');
    expect(hosts.filter((host) => !['keepachangelog.com', 'semver.org'].includes(host))).toEqual([]);
    expect(text).not.toMatch(/[\w.]+@[\w-]+\.\w/);
  });
});

describe('CHANGELOG.md', () => {
  it('CHANGELOG.md starts with the section Unreleased and has a section for the version of the package', () => {
    const versions = [...read('CHANGELOG.md').matchAll(/^## \[(.*?)\]/gm)].map(([, version]) => version);
    expect(versions[0]).toBe('Unreleased');
    expect(versions).toContain(manifest.version);
  });
});

describe.each(WORKFLOWS)('%s', (path) => {
  it('a workflow runs only npm scripts and test files that exist', () => {
    const commands = jobsOf(path).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    expect(commands.flatMap(missingTargets)).toEqual([]);
  });

  it('a workflow pins each action to a commit and names the version in a comment', () => {
    const lines = read(path)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('a workflow is read-only by default, jobs add only contents and packages, and each job has a timeout', () => {
    expect(workflowOf(path).permissions).toEqual({ contents: 'read' });
    const rights = jobsOf(path).flatMap(({ permissions = {} }) => Object.keys(permissions));
    expect(rights.filter((right) => !['contents', 'packages'].includes(right))).toEqual([]);
    expect(jobsOf(path).filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('a workflow has no GitHub expressions in its shell commands', () => {
    const commands = jobsOf(path).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

describe('workflows', () => {
  it('check.yml runs the checks, the tests, the slow tests and the coverage report', () => {
    const commands = jobsOf('.github/workflows/check.yml').flatMap(({ steps }) => steps.map(({ run }) => run));
    expect(commands).toEqual(
      expect.arrayContaining(['npm run check', 'npm test', 'npm run test:slow', 'npm run coverage']),
    );
  });

  it('only release.yml pushes images and it runs only for version tags, and upgrade.yml has one schedule', () => {
    expect(workflowOf('.github/workflows/release.yml').on).toEqual({ push: { tags: ['v*'] } });
    expect(workflowOf('.github/workflows/upgrade.yml').on.schedule).toHaveLength(1);
    const pushing = WORKFLOWS.filter((path) => read(path).includes('docker push'));
    expect(pushing).toEqual(['.github/workflows/release.yml']);
  });
});

describe('issue forms and Dependabot', () => {
  it('each issue form has a name, a description and at least two fields, and config.yml sets blank_issues_enabled', () => {
    for (const path of globSync('.github/ISSUE_TEMPLATE/*.yml').filter((one) => !one.endsWith('config.yml'))) {
      const form = parse(read(path)) as { name: string; description: string; body: { type: string }[] };
      expect(form, path).toMatchObject({ name: expect.any(String), description: expect.any(String) });
      expect(form.body.length, path).toBeGreaterThan(1);
    }
    expect(parse(read('.github/ISSUE_TEMPLATE/config.yml'))).toHaveProperty('blank_issues_enabled');
  });

  it('Dependabot updates npm packages, actions and base images, but not Baileys', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; ignore?: { 'dependency-name': string }[] }[];
    };
    expect(updates.map((one) => one['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker']);
    expect(updates[0]?.ignore?.map((one) => one['dependency-name'])).toContain('@whiskeysockets/baileys');
  });
});
