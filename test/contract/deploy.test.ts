// Checks of the files of deploy/. Settings, paths, ports and metric names exist in the code. The files agree with each
// other.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';
import { operations } from '../support/openapi-document.ts';

const files = readdirSync('deploy');
const read = (name: string) => readFileSync(`deploy/${name}`, 'utf8');
const isPath = (path: string) => operations.some((operation) => operation.path === path);
const stopSeconds = SETTINGS.SHUTDOWN_TIMEOUT.default / 1000;
/** Environment variables that are not settings. The manifests use POD_IP in NODE_URL. */
const OTHER_VARIABLES = ['POD_IP'];
const unknownNames = (names: string[]) =>
  names.filter((name) => !(name in SETTINGS) && !OTHER_VARIABLES.includes(name));

interface Service {
  image?: string;
  build?: string;
  environment?: Record<string, string>;
  stop_grace_period?: string;
  ports?: string[];
  volumes?: string[];
  depends_on?: string[];
}

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
}

interface Container {
  ports: { name: string; containerPort: number }[];
  env: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
  envFrom?: { secretRef: { name: string } }[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  volumeMounts: { name: string; mountPath: string }[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  stringData?: Record<string, string>;
  spec: {
    replicas: number;
    progressDeadlineSeconds?: number;
    strategy?: { rollingUpdate: { maxSurge: number; maxUnavailable: number } };
    selector: { matchLabels: Record<string, string> };
    ports?: { targetPort: string }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        enableServiceLinks?: boolean;
        terminationGracePeriodSeconds: number;
        containers: Container[];
        volumes: { name: string }[];
      };
    };
    volumeClaimTemplates?: { metadata: { name: string } }[];
  };
}

function resources(name: string): { all: Resource[]; of(kind: string): Resource; container: Container } {
  const documents = parseAllDocuments(read(name));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const all = documents.map((document) => document.toJS() as Resource);
  const of = (kind: string) => {
    const found = all.find((resource) => resource.kind === kind);
    if (!found) throw new Error(`${name} has no ${kind}`);
    return found;
  };
  const [container] = all.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
  if (!container) throw new Error(`${name} has no container`);
  return { all, of, container };
}

describe('deploy/', () => {
  it('deploy/README.md links to every other file of deploy/', () => {
    const readme = read('README.md');
    expect(files.filter((name) => name !== 'README.md' && !readme.includes(`[${name}](${name})`))).toEqual([]);
  });
});

describe('deploy/compose.yaml', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
  const gateways = Object.entries(services).filter(([, { build }]) => build !== undefined);

  it('compose.yaml starts three nodes that differ only in name and address', () => {
    expect(gateways).toHaveLength(3);
    const [first, ...others] = gateways.map(([name, service]) => {
      const { NODE_NAME, NODE_URL, ...environment } = service.environment ?? {};
      expect(NODE_URL).toBe(`http://${name}:${SETTINGS.PORT.default}`);
      expect(unknownNames(Object.keys(service.environment ?? {}))).toEqual([]);
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(stopSeconds);
      return { name: NODE_NAME, rest: { ...service, environment } };
    });
    expect(new Set([first, ...others].map((node) => node?.name)).size).toBe(3);
    for (const { rest } of others) expect(rest).toEqual(first?.rest);
    expect(Object.keys(first?.rest.environment ?? {})).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'ENCRYPTION_KEY', 'API_KEY']),
    );
  });

  it('compose.yaml uses official nginx and PostgreSQL images, and its balancer names every node', () => {
    const { balancer, db } = services;
    expect([balancer?.image, db?.image]).toEqual([
      expect.stringMatching(/^nginx:/),
      expect.stringMatching(/^postgres:/),
    ]);
    const [mounted = ''] = balancer?.volumes ?? [];
    const conf = mounted.split(':')[0] ?? '';
    expect(existsSync(`deploy/${conf}`)).toBe(true);
    const servers = [...read(conf).matchAll(/^ {2}server (\S+):(\d+) /gm)].map(([, host, port]) => [
      host,
      Number(port),
    ]);
    expect(servers).toEqual(gateways.map(([name]) => [name, SETTINGS.PORT.default]));
    const [, listen] = /listen (\d+);/.exec(read(conf)) ?? [];
    expect(balancer?.ports).toEqual([`127.0.0.1:8080:${listen}`]);
    expect(balancer?.depends_on).toEqual(gateways.map(([name]) => name));
  });
});

describe('deploy/.env.example', () => {
  it('deploy/.env.example has exactly the variables that compose.yaml requires, without values', () => {
    const required = [...read('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const lines = read('.env.example')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.sort()).toEqual([...new Set(required)].map((name) => `${name}=`).sort());
  });

  it('git ignores .env, the file that operators create from deploy/.env.example', () => {
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('.env');
  });
});

describe('deploy/prometheus.yaml', () => {
  interface ScrapeJob {
    job_name: string;
    metrics_path: string;
    http_headers: Record<string, unknown>;
    static_configs: { targets: string[] }[];
  }
  const { rule_files: ruleFiles, scrape_configs: jobs }: { rule_files: string[]; scrape_configs: ScrapeJob[] } = parse(
    read('prometheus.yaml'),
  );

  it('prometheus.yaml loads alerts.yaml and scrapes the job that the alert rules name', () => {
    expect(ruleFiles).toEqual(['alerts.yaml']);
    const jobNames = [...read('alerts.yaml').matchAll(/job="([^"]+)"/g)].map(([, name]) => name);
    expect(jobs.map((job) => job.job_name)).toEqual([...new Set(jobNames)]);
  });

  it('prometheus.yaml scrapes each node of compose.yaml at the metrics path, with an API key', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
    const nodes = Object.keys(services).filter((name) => services[name]?.build !== undefined);
    const [job] = jobs;
    expect(job?.static_configs.flatMap(({ targets }) => targets)).toEqual(
      nodes.map((name) => `${name}:${SETTINGS.PORT.default}`),
    );
    expect(isPath(job?.metrics_path ?? '')).toBe(true);
    expect(Object.keys(job?.http_headers ?? {})).toEqual(['apikey']);
  });
});

describe('proxies in deploy/', () => {
  const { services, networks } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    networks: { default: { ipam: { config: { subnet: string }[] } } };
  };
  const trusted = services['gateway-a']?.environment?.TRUST_PROXY ?? '';

  it('the proxy configurations in deploy/ append to X-Forwarded-For', () => {
    const confs = files.filter((name) => read(name).includes('proxy_pass'));
    expect(confs).not.toEqual([]);
    for (const name of confs)
      expect([...read(name).matchAll(/X-Forwarded-For (\S+);/g)].map(([, value]) => value)).toEqual([
        '$proxy_add_x_forwarded_for',
      ]);
  });

  it('TRUST_PROXY in compose.yaml covers only the proxies, so that no caller can choose its own address', async () => {
    expect(trusted).toBe(networks.default.ipam.config[0]?.subnet);
    const app = Fastify({ trustProxy: trusted.split(',') });
    app.get('/', async ({ ip }) => ip);
    const addressOf = async (forwarded: string) =>
      (await app.inject({ url: '/', remoteAddress: '172.30.0.9', headers: { 'x-forwarded-for': forwarded } })).body;
    expect(await addressOf('198.51.100.1, 203.0.113.7')).toBe('203.0.113.7');
    // The caller is in the network of the host. Its request passes through a TLS proxy on the host.
    expect(await addressOf('198.51.100.1, 192.168.1.7, 172.30.0.1')).toBe('192.168.1.7');
  });

  it('the Caddyfile lists the nodes of compose.yaml, probes an existing path and sets no request header', () => {
    const caddyfile = read('Caddyfile');
    const [, upstreams = ''] = /reverse_proxy ([^{]+) \{/.exec(caddyfile) ?? [];
    const nodes = Object.keys(services).filter((name) => services[name]?.build !== undefined);
    expect(upstreams.split(' ')).toEqual(nodes.map((name) => `${name}:${SETTINGS.PORT.default}`));
    const [, health = ''] = /health_uri (\S+)/.exec(caddyfile) ?? [];
    expect(isPath(health)).toBe(true);
    // By default, Caddy sets X-Forwarded-For to the address of the client. A `header_up` could let clients choose it.
    expect(caddyfile).not.toMatch(/header_up/);
  });

  it.each(['kubernetes.yaml', 'kubernetes-sqlite.yaml'])('%s sets TRUST_PROXY', (name) => {
    expect(resources(name).container.env.map((variable) => variable.name)).toContain('TRUST_PROXY');
  });
});

describe.each(['kubernetes.yaml', 'kubernetes-sqlite.yaml'])('deploy/%s', (name) => {
  it('the Kubernetes manifest names only settings, paths, ports and volumes that exist', () => {
    const { all, container, of } = resources(name);
    const { env, ports, startupProbe, livenessProbe, readinessProbe } = container;
    expect(unknownNames(env.map((variable) => variable.name))).toEqual([]);
    expect(ports).toEqual([{ name: 'http', containerPort: SETTINGS.PORT.default }]);
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
      expect([isPath(httpGet.path), httpGet.port]).toEqual([true, 'http']);
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/livez', '/readyz']);
    expect(of('Service').spec.ports?.[0]?.targetPort).toBe('http');
    const workload = all.find(({ spec }) => spec?.template);
    const labels = workload?.spec.template.metadata.labels;
    for (const { spec } of all.filter((resource) => resource.spec?.selector))
      expect(spec.selector.matchLabels ?? spec.selector).toEqual(labels);
    const volumes = [
      ...(workload?.spec.template.spec.volumes ?? []),
      ...(workload?.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
    ].map((volume) => volume.name);
    expect(container.volumeMounts.map((mount) => mount.name).sort()).toEqual(volumes.sort());
    expect(workload?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds);
  });

  it('the startup probe of the Kubernetes manifest allows one hour for the migration of the database', () => {
    const { periodSeconds, failureThreshold } = resources(name).container.startupProbe;
    expect(periodSeconds * failureThreshold).toBe(3600);
  });

  it('the Kubernetes manifest disables service links, which would define variables such as SERVER_PORT', () => {
    const pods = resources(name).all.flatMap(({ spec }) => spec?.template?.spec ?? []);
    expect(pods.map((pod) => pod.enableServiceLinks)).toEqual([false]);
  });

  it('the Kubernetes manifest limits /tmp to 2 GiB', () => {
    const volumes = resources(name).all.flatMap(({ spec }) => spec?.template?.spec.volumes ?? []);
    expect(volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '2Gi' } });
  });
});

describe('deploy/kubernetes.yaml', () => {
  it('kubernetes.yaml rolls out with one additional node and gives a node time to transfer its instances', () => {
    const { of, container } = resources('kubernetes.yaml');
    const { spec } = of('Deployment');
    expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    // The deadline is longer than the hour that the startup probe allows for a migration.
    expect(spec.progressDeadlineSeconds).toBeGreaterThan(3600);
    const settingOf = (name: string) => container.env.find((variable) => variable.name === name)?.value;
    const [, pause] = container.lifecycle?.preStop.exec.command ?? [];
    const timeout = Number(settingOf('SHUTDOWN_TIMEOUT')) / 1000;
    expect(Number(pause) + timeout).toBeLessThan(spec.template.spec.terminationGracePeriodSeconds);
    expect(settingOf('NODE_URL')).toBe(`http://$(POD_IP):${SETTINGS.PORT.default}`);
    // Kubernetes replaces only variables that were defined before.
    const names = container.env.map((variable) => variable.name);
    expect(names.indexOf('POD_IP')).toBeLessThan(names.indexOf('NODE_URL'));
    const secret = of('Secret');
    expect(container.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }]);
    expect(Object.keys(secret.stringData ?? {})).toEqual(['DATABASE_URL', 'ENCRYPTION_KEY', 'API_KEY']);
    expect(of('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
  });
});

describe('deploy/kubernetes-sqlite.yaml', () => {
  it('kubernetes-sqlite.yaml has exactly one replica and no DATABASE_URL', () => {
    const { of, container } = resources('kubernetes-sqlite.yaml');
    expect(of('StatefulSet').spec.replicas).toBe(1);
    expect(container.env.map(({ name }) => name)).not.toContain('DATABASE_URL');
  });
});

describe('metrics in deploy/', () => {
  interface Rule {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: { summary: string; action: string };
  }
  const sources = globSync('src/observability/*.ts').map((path) => readFileSync(path, 'utf8'));
  const exported = new Set(sources.flatMap((text) => text.match(/(?<=name: ')gateway_\w+/g) ?? []));
  const namesIn = (text: string) => [...new Set(text.match(/\bgateway_\w+/g))];
  /** The series of a histogram have the name of the metric with one of these endings. */
  const isExported = (name: string) => exported.has(name) || exported.has(name.replace(/_(?:bucket|count|sum)$/, ''));

  const { groups }: { groups: { rules: Rule[] }[] } = parse(read('alerts.yaml'));
  const rules = groups.flatMap((group) => group.rules);
  const expressionOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr;

  it.each(['alerts.yaml', 'grafana.json'])('%s names only metrics that the gateway exports', (name) => {
    const names = namesIn(read(name));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((metric) => !isExported(metric))).toEqual([]);
  });

  it('each alert has a metric, a severity, a summary and an action, and docs/operate/alerts.md lists it', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(alert).toMatch(/^Gateway[A-Z]\w+$/);
      expect(expr).toMatch(/\b(?:gateway_\w+|up)\{job="messaging-gateway"/);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect([annotations.summary, annotations.action]).toEqual([expect.any(String), expect.any(String)]);
    }
    const page = readFileSync('docs/operate/alerts.md', 'utf8');
    expect([...page.matchAll(/^\| `(Gateway\w+)` \| (\w+) \|/gm)].map(([, ...cells]) => cells)).toEqual(
      rules.map(({ alert, labels }) => [alert, labels.severity]),
    );
    const paths = rules.flatMap(({ annotations }) => annotations.action.match(/(?<=[A-Z] )\/[\w/{}]+/g) ?? []);
    expect(paths.filter((path) => !isPath(path))).toEqual([]);
  });

  it('the alerts on endpoints and reconnects match all states that a failure alternates between', () => {
    expect(expressionOf('GatewayWebhookEndpointDown')).toContain('breaker=~"open|half_open"');
    expect(expressionOf('GatewayInstancesReconnecting')).toContain('state=~"backoff|connecting|closing"');
  });

  it('the alert GatewayDeliveriesDead counts posts with the outcome dead, which pruning does not remove', () => {
    expect(expressionOf('GatewayDeliveriesDead')).toContain(
      'increase(gateway_webhook_post_duration_seconds_count{job="messaging-gateway",outcome="dead"}[1h])',
    );
  });

  it('an alert that uses increase() or delta() does not print its raw value in the summary', () => {
    const extrapolated = rules.filter(({ expr }) => /\b(?:increase|delta)\(/.test(expr));
    expect(extrapolated).not.toEqual([]);
    expect(extrapolated.filter(({ annotations }) => annotations.summary.includes('{{ $value }}'))).toEqual([]);
  });

  it.each([
    'alerts.yaml',
    'grafana.json',
  ])('%s does not sum metrics over nodes that count the same database rows', (name) => {
    const sums = /\bsum(?: by \([^)]*\))? ?\((?:\w+\()?gateway_(?:outbox_posts|nodes|orphaned_leases)\b/g;
    expect(read(name).match(sums)).toBeNull();
  });
});
