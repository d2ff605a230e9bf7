import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { clusterCanary as wholeProgram } from '../../lib/cli/program';
import { issue } from '../manifests/certificates/issue';
import type { PlainServer } from '../core/kubernetes/plain-server';
import { plainServer } from '../core/kubernetes/plain-server';
import { blueArn, greenArn, ruleArn } from '../shift/plan-file/plans';
import { leaves } from './contract';
import { historyCases, hostileHistory, reportCases, simulateCases } from './hostile-history';
import { clusterWide, kinds } from './hostile-kinds';
import { hostileSwap, swapCases } from './hostile-swap';
import { git, writeFiles } from './lint-repository';
import type { Result, Start } from './run-cli';
import { scratch } from './run-cli';
import { severalAtOnce } from './several-at-once';

/** What others write: it ends the line, begins lines of its own, gives commands to a terminal and to a pipeline. */
export const bad =
  'EVIL \u001b[31m\u001b]0;t\u0007\u009b2J\u007f\r\n::error file=a::EVIL\n  ::add-mask::EVIL\nEVIL\tx ##vso[task.complete]' +
  '##[error]##teamcity[x]\u202e\u2066\u200b\u200e\u061c\u2028\u2029\ufeff\u0085\u0000 end';
/** The same for names of files, which hold neither a slash nor a null. */
const badName = bad
  .replace(/\u0000/g, '')
  .replace(/^EVIL /, '::error::EVIL ')
  .slice(0, 90);
/** The same on one line of YAML, with quotes. */
const quoted = JSON.stringify(bad);

const folder = join(scratch, 'hostile');
export const kubeconfig = join(folder, 'kubeconfig.json');
const refusing = join(folder, 'refusing.json');
let servers: PlainServer[] = [];
/** Of every command: AWS refuses, with such a text. */
export let env: NodeJS.ProcessEnv;

const file = (name: string, content = ''): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

function hostileObject(kind: string): object {
  const conditions = ['Ready', 'Degraded', 'Failed', bad].map((type) => ({
    ...{ type, status: 'True', reason: bad, message: bad, lastTransitionTime: new Date().toISOString() },
  }));
  const terminated = { message: bad, reason: bad, finishedAt: new Date().toISOString() };
  return {
    metadata: {
      ...{ name: kind === 'Job' ? 'gates-g2-gate-01234567' : bad, namespace: 'argocd', uid: 'u' },
      ...{ resourceVersion: '1', generation: 1 },
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', app: bad, 'app.kubernetes.io/instance': 'a' },
    },
    spec: {
      ...{
        project: bad,
        sources: [{ repoURL: bad, path: bad, plugin: { name: bad, env: [{ name: bad, value: bad }] } }],
      },
      ...{ destination: { name: bad, server: bad }, nodeName: bad, replicas: 1, holderIdentity: bad },
    },
    status: {
      ...{ conditions, phase: bad, message: bad, observedGeneration: '1', currentPodHash: 'x' },
      operationState: { phase: 'Failed', message: bad, finishedAt: new Date().toISOString() },
      ...{ sync: { status: bad, revision: bad }, health: { status: 'Degraded', message: bad } },
      containerStatuses: [{ name: bad, state: { terminated } }],
    },
    ...(kind === 'Secret'
      ? { data: { name: Buffer.from(bad).toString('base64'), server: Buffer.from(bad).toString('base64') } }
      : {}),
    ...(kind.endsWith('WebhookConfiguration')
      ? {
          webhooks: [
            { name: bad, clientConfig: { service: { name: 'gate', namespace: 'n' }, caBundle: 'eA==' } },
          ],
        }
      : {}),
  };
}

function cluster({ url }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url!, 'http://api');
  const answer = (body: object, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const known = kinds[pathname];
  if (known) {
    const resources = known.map((kind) => ({
      kind,
      name: `${kind.toLowerCase()}s`,
      namespaced: !clusterWide.test(kind),
    }));
    answer({ resources });
    return;
  }
  const [last = '', before = ''] = pathname.split('/').reverse();
  const kindOf = (plural: string): string | undefined =>
    Object.values(kinds)
      .flat()
      .find((kind) => `${kind.toLowerCase()}s` === plural);
  const listed = kindOf(last);
  const got = kindOf(before);
  if (listed !== undefined) {
    answer({ metadata: {}, items: [hostileObject(listed)] });
  } else if (got === 'Application') {
    answer(hostileObject(got));
  } else {
    answer({ kind: 'Status', status: 'Failure', message: bad, reason: bad }, 404);
  }
}

function refusal({ headers, url }: IncomingMessage, response: ServerResponse): void {
  if (headers['content-type']?.includes('form-urlencoded') && !url!.includes('/api/v1')) {
    const message = bad.replace(/[\u0000-\u0008\u000e-\u001f]/g, ' ');
    const error = `<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error>`;
    response.writeHead(403, { 'content-type': 'text/xml' }).end(`<ErrorResponse>${error}</ErrorResponse>`);
    return;
  }
  response
    .writeHead(403, { 'content-type': 'application/json', 'x-amzn-errortype': 'AccessDeniedException' })
    .end(
      JSON.stringify({
        kind: 'Status',
        message: bad,
        reason: 'Forbidden',
        __type: 'AccessDeniedException',
        error: bad,
        errorType: bad,
      }),
    );
}

const caName = { subject: 'old', isCa: true };

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  servers = [await plainServer(cluster, kubeconfig), await plainServer(refusal, refusing)];
  env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${servers[1]!.port}`,
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1', AWS_MAX_ATTEMPTS: '1' },
  };
  const [notBefore, notAfter] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000));
  mkdirSync(join(folder, 'authorities'));
  for (const name of ['old.crt', 'renewed.crt']) {
    const { certificate } = await issue({ ...caName, subject: name, notBefore, notAfter });
    writeFileSync(join(folder, 'authorities', name), certificate);
  }
  prepareFiles();
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

const simulated = (more = '', shift = ''): string =>
  `router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\n${more}` +
  `shift: { step: 50, every: 60ms, checkEvery: 30ms, bake: 0s${shift} }\n`;
const rulePlan =
  `router: { albRule: { ruleArn: '${ruleArn}' } }\nslots: { blue: { targetGroupArn: '${blueArn}' }, ` +
  `green: { targetGroupArn: '${greenArn}' } }\nweights: { green: 100 }\n`;
const manifest = (name: string): string =>
  `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: { name: ${name} }\n` +
  `webhooks: [{ name: ${name}, failurePolicy: Fail, clientConfig: { service: { name: a, namespace: b } }, rules: [] }]\n`;
export const path = (name: string): string => join(folder, name);
const script = (what: string): string => JSON.stringify([process.execPath, '-e', what]);

function prepareFiles(): void {
  const contexts = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  contexts.contexts.push({ name: bad, context: { cluster: bad, user: bad } });
  file('contexts.json', JSON.stringify({ ...contexts, 'current-context': '' }));
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'no-such-program-at-all' };
  file(
    'plugin.json',
    JSON.stringify({ ...contexts, users: [{ name: 'u', user: { exec: { ...exec, installHint: bad } } }] }),
  );
  const spoken = {
    command: process.execPath,
    args: ['-e', `console.error(${JSON.stringify(bad.replaceAll('\n', ' '))}); process.exit(3)`],
  };
  file(
    'speaking.json',
    JSON.stringify({ ...contexts, users: [{ name: 'u', user: { exec: { ...exec, ...spoken } } }] }),
  );
  const set = (name: string, more = '') =>
    `metadata: { name: ${name} }\nspec:\n  selector: { eksTags: { env: p } }\n  accounts: [{ regions: [eu-west-1] }]\n` +
    `  template: { metadata: { labels: { env: p } } }\n${more}`;
  file('set.yaml', set('production'));
  file('bad-set.yaml', set(quoted, `  ${quoted}: 1\n`));
  file('plan.yaml', simulated());
  file('rule.yaml', rulePlan);
  file('bad-plan.yaml', simulated(`${quoted}: ${quoted}\n`, `, ${quoted}: 1, onFailure: ${quoted}`));
  const speaking = `console.log(${JSON.stringify(bad)}); console.error(${JSON.stringify(bad)}); process.exit(1)`;
  file(
    'program.yaml',
    simulated('', `, checks: [{ program: { name: smoke, command: ${script(speaking)} } }]`),
  );
  file(
    'missing.yaml',
    simulated(
      '',
      `, checks: [{ program: { name: ${quoted}, command: [${JSON.stringify(`/${badName}`)}] } }]`,
    ),
  );
  hostileHistory(bad, badName, file, path);
  hostileSwap(bad, file);
  file('scenario.yaml', 'requests: { perSecond: 100 }\n');
  file('bad-scenario.yaml', `${quoted}: 1\nrequests: { perSecond: ${quoted} }\n`);
  file(`${badName}.yaml`, simulated());
  mkdirSync(path('manifests'));
  writeFileSync(join(path('manifests'), `${badName}.yaml`), manifest(quoted));
  writeFileSync(join(path('manifests'), `${badName}-broken.yaml`), `a: [${quoted}\nb: {`);
  file(
    'rules.js',
    `exports.rules = [{ id: 'X01', severity: 'error', title: 'x', why: ${quoted}, fix: ${quoted}, check: () => { throw new Error(${quoted}); } }];`,
  );
  file('no-rules.js', `throw new Error(${quoted});`);
  file('lint.yaml', `${quoted}: ${quoted}\n`);
  git(folder, 'init', '--quiet');
  const pulumi = "const pulumi = require('@pulumi/pulumi');\n";
  // The lines that a program prints are its own; what is in them does nothing either.
  const printed = JSON.stringify(bad.replace(/[\r\n]+/g, ' '));
  const prints = `console.log(${printed}); console.error(${printed}); process.stdout.write(Buffer.from(${printed} + '\\n'));\n`;
  const registers = `new pulumi.ComponentResource('test:index:Thing', ${quoted});\nexports.made = ${quoted};\n`;
  writeFiles(path('programs'), {
    'resources/index.js': pulumi + prints.replaceAll('"EVIL', '"program: EVIL') + registers,
    'resources/Pulumi.yaml': `name: ${quoted}\nruntime: nodejs\nmain: index.js\n`,
    'throws/index.js': `throw new Error(${quoted});`,
    'throws/Pulumi.yaml': 'name: a\nruntime: nodejs\nmain: index.js\n',
  });
}

export interface Hostile extends Start {
  readonly args: readonly string[];
  readonly input?: string;
  /** Where nothing of the value is shown at all, or not in the document. @default false */
  readonly hidden?: boolean | 'json';
}

const byFile = ['--kubeconfig', kubeconfig];
const rotated = ['--namespace', 'n', '--name', 'gates', '--generation', '2'];
const pair = ['--authorities', join(folder, 'authorities')];
const service = ['--service', 'n/gate'];
const injected = ['--injected', 'MutatingWebhookConfiguration/gate'];
export const rollout = ['--application', 'a', '--namespace', 'n', '--allowed-namespace', 'n'];
const config = ['--config', path('set.yaml')];

/** Arguments with which each command asks a cluster, for what all of them have in common. */
export const asking: Readonly<Record<string, readonly string[]>> = {
  'clusters plan': config,
  'clusters sync': config,
  demo: ['--fault', 'outage'],
  doctor: [],
  'doctor plugin': ['podinfo'],
  drain: ['apps-green', '--ignore-traffic'],
  evacuate: ['apps-green', '--yes'],
  'guard-clocks': ['--port', '0', '--host', '127.0.0.1', '--interval', '1'],
  harden: [],
  history: ['--store', 'kubernetes:argocd'],
  lint: [path('manifests')],
  preview: [path('programs/resources')],
  'ca-rotation check': ['publish', ...rotated, ...service, ...pair],
  'ca-rotation bundle': [...rotated, ...pair],
  'ca-rotation retire': [...rotated, ...pair, ...service, ...injected],
  'ca-rotation result': rotated,
  ready: ['--to', '1.36', '--timeout', '20s'],
  report: ['20260102t030405z-web-1f0c9a3b', '--store', 'kubernetes:argocd'],
  'restart-rollout': rollout,
  shift: [path('plan.yaml')],
  simulate: [path('plan.yaml'), '--scenario', path('scenario.yaml'), '--runs', '1'],
  swap: [path('swap.yaml')],
  watch: [path('plan.yaml')],
};

/** What is a command's own: files, names, answers of AWS, outputs of programs, git. */
export const own: Readonly<Record<string, Readonly<Record<string, Hostile>>>> = {
  'clusters plan': {
    'a set': { args: ['--config', path('bad-set.yaml'), '--kubeconfig', kubeconfig] },
    'the name of a file': { args: ['--config', path(`${badName}.no`)] },
  },
  'clusters sync': { 'a set': { args: ['--config', path('bad-set.yaml'), '--kubeconfig', kubeconfig] } },
  demo: {
    'a fault': { args: ['--fault', bad.replaceAll('\u0000', '')] },
    'the name of a folder': { args: ['--report', path(`${badName}.yaml`)] },
  },
  doctor: { objects: { args: ['--kubeconfig', kubeconfig] } },
  'doctor plugin': {
    'an Application': { args: ['podinfo', '--kubeconfig', kubeconfig] },
    'a file of a plugin': { args: ['podinfo', '--plugin-file', path(`${badName}.yaml`)] },
  },
  drain: { 'an answer of AWS': { args: ['apps-green', '--ignore-traffic'] } },
  evacuate: { 'an answer of AWS': { args: ['green', '--plan', path('rule.yaml'), '--dry-run'] } },
  'guard-clocks': {
    nodes: {
      args: ['--port', '0', '--host', '127.0.0.1', '--interval', '1', '--kubeconfig', kubeconfig],
      signalAt: /EVIL|metrics/,
      hidden: true,
    },
  },
  harden: {
    'an object': { args: ['--strict'], input: manifest(quoted) },
    'a configuration': { args: ['--config', path('lint.yaml')], input: manifest('a') },
    'the name of a file': { args: ['--context-manifests', path('manifests')], input: manifest('a') },
  },
  history: historyCases(bad, path),
  lint: {
    'names of files and objects': { args: [path('manifests')] },
    SARIF: { args: [path('manifests'), '--format', 'sarif'] },
    JSON: { args: [path('manifests'), '--format', 'json'] },
    'a revision of git': { args: [path('manifests'), '--baseline', bad.replaceAll('\u0000', '')] },
    'a rule that fails': { args: [path('manifests'), '--rules', path('rules.js')] },
    'rules that can not be loaded': { args: [path('manifests'), '--rules', path('no-rules.js')] },
    'a configuration': { args: [path('manifests'), '--config', path('lint.yaml')] },
    'mended copies': { args: [path('manifests'), '--fix', '--out', path(`${badName}-out`)] },
    'objects of a cluster': { args: [path('manifests'), '--kubeconfig', kubeconfig] },
    'a refusal of a cluster': { args: [path('manifests'), '--kubeconfig', refusing] },
  },
  preview: {
    'names of resources, and what the program prints': { args: [path('programs/resources')] },
    'an error': { args: [path('programs/throws')] },
    'a stack': { args: [path('programs/resources'), '--stack', bad.replaceAll('\u0000', '')] },
  },
  'ca-rotation check': { objects: { args: ['publish', ...rotated, ...service, ...pair, ...byFile] } },
  'ca-rotation bundle': { 'a Secret': { args: [...rotated, '--kubeconfig', kubeconfig], hidden: true } },
  'ca-rotation retire': { objects: { args: [...rotated, ...pair, ...service, ...injected, ...byFile] } },
  'ca-rotation result': {
    'Jobs and what their pods said': { args: [...rotated, '--kubeconfig', kubeconfig] },
  },
  ready: {
    'names of files and objects': { args: ['--to', '1.36', path('manifests')] },
    SARIF: { args: ['--to', '1.36', path('manifests'), '--format', 'sarif'] },
    JSON: { args: ['--to', '1.36', path('manifests'), '--format', 'json'] },
    'answers of AWS': {
      args: ['--to', '1.36', '--cluster', 'apps-green', '--subject', 'eks-insights,eks-health'],
      // Of a refusal, the right is named and nothing else.
      hidden: true,
    },
    'a name of a cluster': { args: ['--to', '1.36', '--cluster', bad.replaceAll('\u0000', '')] },
    'a subject': { args: ['--to', bad.replaceAll('\u0000', ''), '--subject', bad.replaceAll('\u0000', '')] },
  },
  report: reportCases(bad, badName, path),
  'restart-rollout': { Rollouts: { args: [...rollout, '--kubeconfig', kubeconfig] } },
  shift: {
    'a plan': { args: [path('bad-plan.yaml')] },
    'the name of a file': { args: [path(`${badName}.no`)] },
    'a program': { args: [path('program.yaml')], hidden: true },
    'the name of a program': { args: [path('missing.yaml')] },
    'an answer of AWS': { args: [path('rule.yaml')] },
    'an answer of AWS, before': { args: [path('rule.yaml'), '--dry-run'] },
    'an answer of AWS, to forget': { args: [path('rule.yaml'), '--forget'] },
    'a route': { args: [path('plan.yaml'), '--route', bad.replaceAll('\u0000', '')] },
    'a reason': { args: [path('plan.yaml'), '--roll-back', bad.replaceAll('\u0000', '')], hidden: true },
  },
  simulate: simulateCases(badName, path),
  swap: swapCases(bad, badName, path),
  watch: { 'a plan': { args: [path('bad-plan.yaml')] } },
};

/** The commands that there are. */
export const commands = leaves(wholeProgram('1.0.0'));

/** Cases that follow from the options of a command: an API server that refuses, contexts, plugins; each as JSON as well. */
export function casesOf(name: string, command: Command): readonly [string, Hostile][] {
  const has = (flag: string): boolean =>
    [command, ...(command.parent ? [command.parent] : [])].some(({ options }) =>
      options.some(({ long }) => long === flag),
    );
  const args = asking[name]!;
  const watching = name === 'guard-clocks' ? { signalAt: /EVIL/ } : {};
  const reached = name !== 'lint' && name !== 'drain';
  const common: [string, Hostile][] =
    has('--kubeconfig') && reached
      ? [
          ['an API server that refuses', { args: [...args, '--kubeconfig', refusing], ...watching }],
          ['contexts', { args: [...args, '--kubeconfig', path('contexts.json')] }],
          [
            'a context',
            { args: [...args, '--kubeconfig', kubeconfig, '--context', bad.replaceAll('\u0000', '')] },
          ],
          [
            'the hint of a plugin',
            { args: [...args, '--kubeconfig', path('plugin.json'), '--context', 'c'], ...watching },
          ],
          [
            'a plugin',
            { args: [...args, '--kubeconfig', path('speaking.json'), '--context', 'c'], ...watching },
          ],
          ['the name of a kubeconfig', { args: [...args, '--kubeconfig', path(`${badName}.no`)] }],
        ]
      : [];
  // How a cluster is reached is one piece of code for all commands: all of its cases run for one of them, or by `npm run fuzz`.
  const asked = process.env.FUZZ !== undefined || name === 'doctor' ? common : common.slice(0, 1);
  const cases = [...asked, ...Object.entries(own[name]!)];
  const asJson = cases
    .filter(
      ([, { args: given }]) =>
        has('--json') && !given.includes('--json') && !given.includes('--forget') && name !== 'harden',
    )
    .map(([what, each]): [string, Hostile] => [
      `${what}, as JSON`,
      { ...each, args: [...each.args, '--json'], hidden: each.hidden !== undefined && each.hidden !== false },
    ]);
  return [...cases, ...asJson];
}

/** What a terminal or a pipeline would obey, and lines that others wrote. */
export function harm(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]|^\s*::|##[a-z]*\[|^EVIL|^end/iu.test(line));
}

/** Runs each case, and expects that what others wrote is shown where it may be, and does nothing anywhere. */
export async function expectNoHarm(
  name: string,
  cases: readonly (readonly [string, Hostile])[],
  run: (what: string, words: readonly string[], start: Hostile) => Promise<Result>,
): Promise<void> {
  const found: [string, string, readonly string[]][] = [];
  const unseen: string[] = [];
  await severalAtOnce(cases, async ([what, hostile]) => {
    const { status, stdout, stderr } = await run(what, [...name.split(' '), ...hostile.args], hostile);
    // Manifests that `harden` prints are a document, of which every byte counts.
    const shown = name === 'harden' && status === 0 ? stderr : stdout + stderr;
    if (harm(shown).length > 0) {
      found.push([what, shown, harm(shown)]);
    }
    if (/^\s*[{[]/.test(stdout) && name !== 'harden') {
      JSON.parse(stdout);
    }
    if (hostile.hidden !== true && !shown.includes('EVIL')) {
      unseen.push(`${what}: ${status} ${shown.slice(0, 600)}`);
    }
  });
  expect(found).toEqual([]);
  expect(unseen).toEqual([]);
}
