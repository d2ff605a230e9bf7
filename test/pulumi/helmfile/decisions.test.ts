import * as fc from 'fast-check';
import { textsIn, withoutSecrets } from '../../../lib/core/redaction';
import { formatProblem as inWords } from '../../../lib/core/validation';
import { argumentProblems } from '../../../lib/core/validation/arguments';
import { describeReleases, recordedReleases } from '../../../lib/pulumi/helmfile/hooks';
import { endReason, helmfileFailure, listedReleases, planOf } from '../../../lib/pulumi/helmfile/plan';
import {
  helmfileReleaseArgs,
  helmfileArguments,
  helmfileEnvironment,
} from '../../../lib/pulumi/helmfile/settings';

const choice = {
  file: '/a/helmfile.yaml',
  selectors: [],
  stateValuesFiles: [],
  valuesFiles: [],
  helm: 'helm',
};
const everything = {
  ...choice,
  environment: 'production',
  selectors: ['tier=a', 'tier=b,name!=c'],
  stateValuesFiles: ['/s1', '/s2'],
  valuesFiles: ['/v'],
  concurrency: 2,
};
const common = ['--file', '/a/helmfile.yaml', '--no-color', '--helm-binary', 'helm'];

test('selectors are a flag each; files of values stand in their order', () => {
  expect(helmfileArguments('diff', everything)).toEqual([
    ...common,
    ...['--environment', 'production', '--selector', 'tier=a', '--selector', 'tier=b,name!=c'],
    ...['--state-values-file', '/s1', '--state-values-file', '/s2'],
    ...[
      'diff',
      '--detailed-exitcode',
      '--suppress-secrets',
      '--context',
      '3',
      '--concurrency',
      '2',
      '--values',
      '/v',
    ],
  ]);
});

test.each([
  ['list', ['--output', 'json', '--skip-charts']],
  ['diff', ['--detailed-exitcode', '--suppress-secrets', '--context', '3']],
  ['apply', ['--suppress-secrets', '--suppress-diff', '--skip-diff-on-install']],
  ['destroy', ['--skip-charts']],
] as const)('helmfile %s', (verb, flags) => {
  expect(helmfileArguments(verb, choice)).toEqual([...common, verb, ...flags]);
});

test('no variable of the program leads helmfile to another cluster, or to other releases', () => {
  const own = {
    ...{
      PATH: '/bin',
      AWS_PROFILE: 'p',
      HELM_PLUGINS: '/plugins',
      KUBECONFIG: '/own',
      HELM_KUBECONTEXT: 'x',
    },
    ...{ HELM_KUBETOKEN: 't', HELM_NAMESPACE: 'n', HELMFILE_KUBE_CONTEXT: 'x', HELMFILE_ENVIRONMENT: 'e' },
    ...{ HELMFILE_FILE_PATH: 'f', HELMFILE_INTERACTIVE: 'true', HELMFILE_TEMPDIR: '/elsewhere' },
  };
  expect(helmfileEnvironment(own, { TOKEN: 'a' }, { kubeconfig: '/k', temporary: '/t' })).toEqual({
    ...{ PATH: '/bin', AWS_PROFILE: 'p', HELM_PLUGINS: '/plugins', TOKEN: 'a', KUBECONFIG: '/k' },
    ...{
      TMPDIR: '/t',
      HELMFILE_TEMPDIR: '/t',
      CHARTIFY_TEMPDIR: '/t',
      HELMFILE_UPGRADE_NOTICE_DISABLED: 'true',
    },
  });
});

const failed = (verb: string[], stderr: string) =>
  [
    'command "/bin/helm" exited with non-zero status:\n\nPATH:\n  /bin/helm\n\nARGS:',
    ...['helm', ...verb].map((arg, position) => `  ${position}: ${arg} (${arg.length} bytes)`),
    '\nERROR:\n  exit status 1\n\nEXIT STATUS\n  1\n',
    ...(stderr === '' ? [] : [`STDERR:\n${stderr.replace(/^/gm, '  ')}\n`]),
    `COMBINED OUTPUT:\n${stderr.replace(/^/gm, '  ')}\n`,
  ].join('\n');

test('each release that failed is named, with what Helm said of it', () => {
  const output = [
    'Building dependency release=web, chart=charts/web',
    'in ./helmfile.yaml: 2 errors:',
    `err 0: ${failed(['diff', 'upgrade', '--allow-unreleased', 'web', 'charts/web'], 'Error: a color is needed\nUse --debug')}`,
    `err 1: ${failed(['upgrade', '--install', 'api', 'charts/api'], 'Error: timed out')}`,
    `err 2: ${failed(['upgrade', '--install', 'api', 'charts/api'], 'Error: timed out')}`,
  ].join('\n');
  const text = 'release web: Error: a color is needed\n  Use --debug\nrelease api: Error: timed out';
  expect(helmfileFailure(output)).toBe(text);
  expect(helmfileFailure(output, ['api', 'web'])).toBe(text);
  expect(helmfileFailure(failed(['uninstall', 'web'], ''))).toBe('release web: it said nothing');
  expect(helmfileFailure(failed(['repo', 'add', 'x', 'y'], 'no'), ['y'])).toBe('release y: no');
});

test('what is no failure of helm is shown without the routine, and cut from its beginning', () => {
  expect(helmfileFailure('Building dependency release=a\n\nerr: no releases found\n')).toBe(
    'err: no releases found',
  );
  const long = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  expect(helmfileFailure(long).split('\n')).toHaveLength(40);
  expect(helmfileFailure(long)).toMatch(/^line 60\n[^]*line 99$/);
});

const wrote = { stdout: '', stderr: '' };
const end = (status: number, more: object = {}) => ({ how: 'exited' as const, status, ...wrote, ...more });
const affected = 'Affected releases are:\n  web (./charts/web) UPDATED\n  old (charts/old) DELETED\n';
const difference =
  'Comparing release=api, chart=a, namespace=n\nComparing release=web, chart=b, namespace=n\n\nn, web, Job has changed:\n- 1\n+ 2\nComparing release=z, chart=c, namespace=n\n';

test('the exit status says what the plan is', () => {
  expect(planOf(end(0, { stdout: difference }), [])).toEqual({ kind: 'unchanged' });
  expect(planOf(end(2, { stdout: difference, stderr: affected }), [])).toEqual({
    kind: 'changes',
    releases: ['web is installed or updated', 'old is uninstalled'],
    text: 'Comparing release=web, chart=b, namespace=n\n\nn, web, Job has changed:\n- 1\n+ 2',
  });
  expect(planOf(end(3, { stderr: 'err: no releases found' }), [])).toEqual({
    kind: 'failed',
    reason: 'err: no releases found',
  });
});

test.each([
  [end(1), 'it ended with status 1'],
  [{ how: 'signalled', signal: 'SIGKILL', ...wrote }, 'SIGKILL ended it'],
  [{ how: 'signalled', signal: 'SIGSEGV', ...wrote, stderr: 'err: x' }, 'SIGSEGV ended it\nerr: x'],
  [{ how: 'cancelled', ...wrote, stderr: 'x' }, 'it was interrupted'],
  [{ how: 'timedOut', ...wrote }, 'it took too long'],
  [{ how: 'timedOut', ...wrote, stderr: 'err: late' }, 'it took too long\nerr: late'],
  [{ how: 'tooMuch', stream: 'stdout', ...wrote }, 'it wrote too much to stdout'],
  [end(1, { stdout: 'said here' }), 'said here'],
] as const)('%j is never taken for a success, nor for a silent failure', (ended, reason) => {
  expect(endReason(ended, [])).toBe(reason);
  expect(planOf(ended, [])).toEqual({ kind: 'failed', reason });
});

test('of differences without end, the beginning is shown and the rest is counted', () => {
  const stdout = Array.from({ length: 10_000 }, (_, line) => `+ line ${line}`).join('\n');
  const plan: any = planOf(end(2, { stdout }), []);
  expect(plan.text.length).toBeLessThan(66_000);
  const [, last, more] = /line (\d+)\n… and (\d+) lines more/.exec(plan.text)!;
  expect(Number(last) + 1 + Number(more)).toBe(10_000);
});

test('the list has what is to be there, in an order that stays', () => {
  const list = [
    { name: 'b', namespace: 'y', enabled: true, installed: true },
    { name: 'a', namespace: 'y', enabled: true, installed: true },
    { name: 'c', namespace: 'x', enabled: true },
    { name: 'off', namespace: 'x', enabled: true, installed: false },
    { name: 'unselected', namespace: 'x', enabled: false, installed: true },
  ];
  const releases = listedReleases(`${JSON.stringify(list)}\n`);
  expect(describeReleases(releases)).toBe('c (x), a (y), b (y)');
  expect(listedReleases('')).toEqual([]);
  expect(() => listedReleases('[{')).toThrow();
  expect(describeReleases([{ name: 'a', namespace: '' }])).toBe('a');
  expect(describeReleases([])).toBe('no release');
});

test('secrets are taken out as they are, in base64, quoted, and line by line', () => {
  const secret = 'say "hi" to\nmy-second-line';
  const text = [
    secret,
    Buffer.from(secret).toString('base64'),
    JSON.stringify(secret),
    'x my-second-line',
  ].join('|');
  const shown = withoutSecrets(text, [secret]);
  expect(shown).not.toMatch(/hi|second/);
  expect(shown).toContain('[secret]');
  expect(withoutSecrets('yes or no', ['yes', 'no', ''])).toBe('yes or no');
  expect(withoutSecrets('abcdefgh', ['abcd', 'abcdefgh'])).toBe('[secret]');
});

test('no secret is left of any text that holds it', () => {
  const word = fc.stringMatching(/^[!-~]{6,20}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(fc.string()), (secrets, others) => {
      const text = secrets.flatMap((secret, position) => [others[position] ?? '', secret]).join('\n');
      const shown = withoutSecrets(text, secrets).split('[secret]').join('\n');
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    }),
  );
});

test('texts at any depth', () => {
  expect(textsIn({ a: ['x', { b: 7 }], c: null, d: true })).toEqual(['x', '7']);
});

test('a record that was changed by hand uninstalls nothing', () => {
  const record = { file: 'helmfile.yaml', releases: [{ name: 'a', namespace: 'b' }] };
  expect(recordedReleases({ input: record })).toEqual(record);
  for (const inputs of [
    undefined,
    {},
    { input: {} },
    { input: { file: 'a' } },
    { input: { releases: [] } },
  ]) {
    expect(() => recordedReleases(inputs)).toThrow(/can not be read/);
  }
});

const problems = (args: object) => argumentProblems(helmfileReleaseArgs, args);

test('all that is wrong with the arguments at once, and no value that may be secret', () => {
  const wrong: any = {
    file: '-f',
    cluster: {},
    kubeconfig: 'hunter2',
    credentials: { roleArn: 'admin' },
    environment: '',
    selectors: ['tier=a', 'tier', 'a=b c', '--all', 'a=b,', ''],
    stateValuesFiles: ['--x', 'ok'],
    valuesFiles: [''],
    environmentVariables: { 'a-b': 'hunter2', KUBECONFIG: 'hunter2', HELM_KUBETOKEN: 'hunter2', OK: '1' },
    concurrency: 0,
    helm: '-v',
    timeoutSeconds: 1.5,
  };
  const found = problems(wrong).map(inWords);
  expect(found.map((each) => each.split(': ')[0])).toEqual([
    ...['file', 'credentials.roleArn', 'environment'],
    ...['selectors[1]', 'selectors[2]', 'selectors[3]', 'selectors[4]', 'selectors[5]'],
    ...['stateValuesFiles[0]', 'valuesFiles[0]', 'environmentVariables.a-b'],
    ...['concurrency', 'helm', 'timeoutSeconds', 'cluster', 'credentials'],
    ...['environmentVariables.KUBECONFIG', 'environmentVariables.HELM_KUBETOKEN'],
  ]);
  expect(found.join()).not.toContain('hunter2');
  expect(problems({ file: 'a', selectors: [] }).map(({ path }) => path)).toEqual(['selectors', 'cluster']);
  expect(problems({ file: 'a', kubeconfig: 'k', selectors: ['name!=a,b=c/d-1.2'] })).toEqual([]);
});
