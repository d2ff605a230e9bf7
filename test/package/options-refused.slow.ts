import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import * as gitops from 'cluster-canary/argocd';
import * as checks from 'cluster-canary/checks';
import * as traffic from 'cluster-canary/traffic';
import type { Problem } from 'cluster-canary/validation';
import { formatProblem as lineOf, InvalidInput } from 'cluster-canary/validation';
import type { OptionsParameter } from './public-options';
import { fileOf, namespaceOf } from './public-names';
import { optionsParameters } from './public-options';

const manifest = JSON.parse(readFileSync(join(resolve(__dirname, '../..'), 'package.json'), 'utf8'));
const subpaths = Object.keys(manifest.typesVersions['*']);

/** What takes settings that something else has evaluated; with what that is. */
const evaluatedBefore: Readonly<Record<string, string>> = {
  'bridge.withAwsSettings': 'the component whose options and arguments they are',
  'bridge.HookError': 'options of an Error',
  'shift.RouterError': 'options of an Error',
  'shift.SourceError': 'options of an Error',
  'notify.DeliveryFailed': 'options of an Error',
  'fleet.liveShare': 'the guard and the drain, whose parts they are',
  'shift.Comparison': 'comparisonCheck',
  'shift.compareSlots': 'comparisonCheck',
  'shift.evaluateComparison': 'comparisonCheck',
  'shift.evaluateShares': 'shareCheck',
  'checks.checkContext': 'its parts are sources, of which tests give one',
  'checks.checkKinds.': 'checkProblems',
  'leases.openLease': 'parsePlan',
  'lint.lintEvaluated': 'lint, or the command',
  'routers.awsRouterSettings': 'parsePlan',
  'routers.subjectOf': 'parsePlan',
  'argocd.notificationEntries': 'notificationProblems',
  'argocd.subscribeTo': 'it takes several, below',
  'clusterSync.desiredState': 'settingsOf; it is a part of planClusters',
  'clusterSync.reconcile': 'settingsOf; it is a part of planClusters',
  'drain.drainTimes': 'drainSettingsProblems',
  'history.historyOfLease': 'parsePlan, or readSwapFile',
  'history.historyPermissions': 'openHistory',
  'history.historyAccess': 'openHistory',
};

/** Values within options that are no options: [name, path, reason]. */
const noOptions: readonly (readonly [RegExp, RegExp, string])[] = [
  [/./, /^(fleet|manages\[0\])(\.|$)/, 'values of a component, maybe of a stack with another version'],
  [/^checks\./, /^(auth|apiKey|applicationKey|queries\[0\])(\.|$)/, 'checkProblems evaluates them, below'],
  [/^routers\.awsRouter/, /^$/, 'the key is the kind: "router" has exactly one of them'],
  [
    /^lint\.|^policyPack\./,
    /^(rules|before|live|templates|beside)\[0\]|^config(\.|$)/,
    'what readers of files answer',
  ],
  [
    /^workflows\./,
    /^spec\..*workflowTemplateRef$|^plan\.shift$/,
    'written as it is, and evaluated by who reads it',
  ],
  [/./, /generators\[0\]/, 'the ApplicationSet evaluates each generator by its kind, below'],
  [/^hubs\.HubIdentity/, /^clusters\[0\]/, 'clusters of a hub'],
  [/./, /^sso\.dex\.connectors\[0\]\.config/, "a connector's own format"],
  [/^swap\.memorySwapStore/, /^memory\.record(\.|$)/, 'a record that a store has held'],
  [/^swap\./, /^slots\[0\]$/, 'a list of at least two names is evaluated'],
  [/^notify\./, /^sinks\[0\]|^delivery\.clock/, "objects of a program's own"],
  [/^preview\./, /^answers/, 'evaluated as a file of answers is, with paths of a file'],
];

/** Arguments beside the options. */
const others: Readonly<Record<string, () => unknown>> = {
  scope: () => new Chart(new App(), 'chart'),
  id: () => 'sample',
  name: () => 'sample',
  slots: () => ['blue', 'green'],
  wanted: () => ({ blue: 0, green: 100 }),
  text: () => '',
};

const parameters = optionsParameters(subpaths).filter(
  ({ name }) => !Object.keys(evaluatedBefore).some((each) => name.startsWith(each)),
);
const isFree = ({ name }: OptionsParameter, path: string): boolean =>
  noOptions.some(([names, paths]) => names.test(name) && paths.test(path));

/** Options with a value at a path and nothing else. */
function optionsWith(path: string, value: unknown): unknown {
  return path
    .split(/\.|(?=\[)/)
    .reduceRight((within, step) => (step === '[0]' ? [within] : { [step]: within }), value);
}

/** Options without which the rest is not looked at. */
const bases: Readonly<Record<string, object>> = {
  'argocd.GitHubApp': {
    installations: [{ name: 'a', url: 'https://github.com/a', installationId: '1' }],
  },
};

/** What is wrong with options: of those that say what kind they are, with each kind that has the path. */
async function problemsOf(parameter: OptionsParameter, options: unknown): Promise<readonly Problem[]> {
  const all = { ...bases[parameter.name], ...(options as object) };
  const found = await problemsWith(parameter, all);
  const kind = found.find(({ path }) => /(^|[.\]])kind$/.test(path));
  const kinds = [...(kind?.allowed.matchAll(/"([^"]+)"/g) ?? [])].map(([, word]) => word);
  const ofKinds: Problem[] = [];
  for (const word of kinds) {
    const copy = structuredCloneOf(all);
    const steps = kind!.path.match(/[^.[\]]+/g)!.slice(0, -1);
    const holder = steps.reduce((within: any, step) => within?.[step], copy);
    if (holder !== undefined) {
      holder.kind = word;
      ofKinds.push(...(await problemsWith(parameter, copy)));
    }
  }
  return [...found, ...ofKinds];
}

/** Copies lists and objects, and keeps Outputs. */
function structuredCloneOf(value: any): any {
  if (Array.isArray(value)) {
    return value.map(structuredCloneOf);
  }
  return typeof value === 'object' && value !== null && !pulumi.Output.isInstance(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, structuredCloneOf(each)]))
    : value;
}

/** What is wrong with the options by what takes them: in an error, or in its answer. */
async function problemsWith(parameter: OptionsParameter, options: unknown): Promise<readonly Problem[]> {
  const { name, isClass, position } = parameter;
  const [namespace, ...path] = name.split('.');
  const module = require(fileOf(subpaths.find((each) => namespaceOf(each) === namespace)!));
  const holder = path.slice(0, -1).reduce((from, each) => from[each], module);
  const callee = holder[path.at(-1)!];
  const args = parameter.parameters.map((each, index) => (index === position ? options : others[each]?.()));
  try {
    const answer: unknown = isClass ? new callee(...args) : await callee.apply(holder, args);
    return Array.isArray(answer) ? answer : [];
  } catch (error) {
    return error instanceof InvalidInput ? error.problems : [];
  }
}

test('options are found: of components, constructs and functions, and those within them', () => {
  expect(parameters.length).toBeGreaterThan(120);
  const objects = parameters.flatMap(({ name, objects }) => objects.map((path) => `${name} ${path}`));
  expect(objects).toEqual(
    expect.arrayContaining([
      'fleet.ClusterFleet slots.one.nodes',
      'traffic.FleetTraffic routes.one.queryStrings[0]',
      'argocd.Application source.helm.parameters[0]',
      'addons.certManager replicas',
      'checks.targetHealth ',
      'leases.ssmLease ',
    ]),
  );
});

test.each(parameters.map((each) => [each.name, each] as const))(
  '%s refuses a key that there is not',
  async (_, parameter) => {
    const dropped: string[] = [];
    for (const object of parameter.objects.filter((path) => !isFree(parameter, path))) {
      const path = object === '' ? 'noSuchOption' : `${object}.noSuchOption`;
      const found = await problemsOf(parameter, optionsWith(path, 'hunter2'));
      const isRefused = (each: Problem): boolean =>
        each.path === path && (each.kind === 'unknown' || lineOf(each).includes('the keys here are'));
      if (!found.some(isRefused)) {
        dropped.push(path);
      }
      expect(JSON.stringify(found)).not.toContain('hunter2');
    }
    expect(dropped).toEqual([]);
  },
);

// In checks Outputs may stand: they are asked when all is known.
const plain = parameters.filter(({ name }) => !name.startsWith('checks.') || name === 'checks.httpClient');

test.each(plain.map((each) => [each.name, each] as const))(
  '%s refuses an Output where it needs a plain value',
  async (_, parameter) => {
    const taken: string[] = [];
    for (const path of parameter.plain.filter((each) => !isFree(parameter, each))) {
      const found = await problemsOf(parameter, optionsWith(path, pulumi.output('a')));
      const sentence = `${path}: an Output, known only during a deployment; here a plain value is needed`;
      if (!found.map(lineOf).includes(sentence)) {
        taken.push(path);
      }
    }
    expect(taken).toEqual([]);
  },
);

test('a spread object is no way around the types', () => {
  const misspelled = { entry: 'web', header: { 'x-slot': ['green'] }, priority: 10 };
  expect(() => new traffic.FleetTraffic('apps', { routes: { web: { ...misspelled } } } as never)).toThrow(
    /routes\.web\.header: unknown key, did you mean "headers"\?; known keys: /,
  );
});

test('a key without a value sets nothing', async () => {
  const fleet = parameters.find(({ name }) => name === 'fleet.ClusterFleet')!;
  const found = await problemsOf(fleet, { slot: undefined, slots: {} });
  expect(found.map(({ path }) => path)).not.toContain('slot');
});

test('each kind of generator has keys of its own', () => {
  const set = (generator: object) => () =>
    new gitops.ApplicationSet(new Chart(new App(), 'chart'), 'set', { generators: [generator] } as never);
  expect(set({ kind: 'git', selector: {} })).toThrow(/generators\[0\]\.git\.selector: unknown key/);
  expect(set({ kind: 'plugin', configMapRef: { nam: 'a' } })).toThrow(/configMapRef\.nam: .*"name"/);
  expect(set({ kind: 'list', postSelector: { matchLabel: {} } })).toThrow(
    /generators\[0\]\.postSelector\.matchLabel: unknown key, did you mean "matchLabels"/,
  );
  expect(set({ kind: 'matrix', generators: [{ kind: 'list', element: [] }] })).toThrow(
    /generators\[0\]\.matrix\[0\]\.list\.element: .*"elements"/,
  );
});

test('a check refuses a key that there is not, also beside an Output', () => {
  expect(() => checks.cloudWatch.errorShare({ mx: 0.1 } as never)).toThrow(
    /mx: unknown key, did you mean "max"/,
  );
  expect(() =>
    checks.prometheus.query({ address: pulumi.output('https://a.example'), qury: 'up' } as never),
  ).toThrow(/qury: unknown key, did you mean "query"/);
  expect(() => checks.cloudWatch.alarms(['a'], { nam: 'b' } as never)).toThrow(
    /nam: unknown key, did you mean "name"/,
  );
  const auth = { address: 'https://a.example', query: 'up', max: 1, auth: { bearr: { env: 'TOKEN' } } };
  expect(
    checks
      .checkProblems([{ 'prometheus.query': auth }], { layer: 'http', slots: {} })
      .map(({ path }) => path),
  ).toEqual([expect.stringMatching(/^checks\[0\]\.prometheus\.query\.auth/)]);
});

test('each of several subscriptions has its keys, and plain values', () => {
  const subscribed =
    (...options: object[]) =>
    () =>
      gitops.subscribeTo(...(options as never[]));
  const fine = { trigger: 'on-deployed', service: 'slack' };
  expect(subscribed(fine, { ...fine, recipient: ['a'] })).toThrow(
    /subscriptions\[1\]\.recipient: unknown key, did you mean "recipients"/,
  );
  expect(subscribed({ ...fine, recipients: [pulumi.output('a')] })).toThrow(
    /subscriptions\[0\]\.recipients\[0\]: an Output/,
  );
});
