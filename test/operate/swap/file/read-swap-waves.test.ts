import { InvalidInput } from '../../../../lib/core/validation';
import { checkedSwapWaves, readSwap, readSwapWaves, swapPlan } from '../../../../lib/operate/swap/file';
import type { SwapWavesSettings } from '../../../../lib/operate/swap/file';
import { fullSwap, leastSwap, leastWaves } from './swap-files';

/** Each problem as the command line prints it, without the file's name. */
function problemsOf(text: string): readonly string[] {
  try {
    readSwapWaves(text, 'swap.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^swap\.yaml:/, ''));
  }
}

/** The least file with one piece of its text replaced. */
function changed(from: string, to: string, text = leastWaves): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

test('an unknown key of a file for one fleet lists those of several, too', () => {
  expect(problemsOf(`${leastSwap}flets: {}\n`)).toEqual([
    expect.stringMatching(
      /flets: unknown key.*known keys: fleet, .*; for several fleets also fleets, waves, /,
    ),
  ]);
});

test('a file for one fleet has one wave, with the same swap', () => {
  const { fleets, waves, isSeveral, waitMs, file } = readSwapWaves(fullSwap, 'a/swap.yaml');
  expect({ waves, isSeveral, waitMs, file }).toEqual({
    ...{ waves: [['apps']], isSeveral: false, waitMs: 0, file: 'a/swap.yaml' },
  });
  expect(fleets).toEqual({ apps: readSwap(fullSwap, 'a/swap.yaml') });
});

test('each fleet has the common settings, and is a wave of its own', () => {
  const { fleets, waves, isSeveral, waitMs } = readSwapWaves(leastWaves, 'swap.yaml');
  expect({ waves, isSeveral, waitMs }).toEqual({ waves: [['eu'], ['us']], isSeveral: true, waitMs: 0 });
  const common = { fleet: 'apps', versions: ['1.36'], slots: ['blue', 'green'], lease: { ssm: {} } };
  expect(fleets).toMatchObject({
    eu: { ...common, region: 'eu-west-1', program: { pulumi: { stack: 'eu' } }, file: 'swap.yaml' },
    us: { ...common, region: 'us-east-1', program: { pulumi: { stack: 'us' } }, file: 'swap.yaml' },
  });
});

test('a setting of a fleet replaces the common one as a whole, and a phase the common phase', () => {
  const text = `to: { version: "1.36", nodes: { type: m7g.large } }
via: ["1.35"]
lease: { ssm: { region: eu-west-1 } }
windows: [{ from: "09:00", to: "16:00" }]
waves: [[us, eu]]
waitBetweenWaves: 48h
phases:
  deliver: { skip: true }
  soak: { for: 2h, every: 1m }
fleets:
  eu:
    fleet: apps
    program: { pulumi: { stack: eu, slots: "talk:apps", weights: "talk:weights" } }
  us:
    fleet: shop
    to: "1.36"
    windows: [{ from: "22:00", to: "24:00", timeZone: America/New_York }]
    lease: { kubernetes: { namespace: swaps } }
    slots: [one, two]
    program: { pulumi: { stack: us, slots: "talk:apps", weights: "talk:weights" } }
    phases:
      soak: { for: 1h }
      delete: { approve: true }
`;
  const { fleets, waves, waitMs } = readSwapWaves(text, 'swap.yaml');
  const [eu, us] = [fleets['eu']!, fleets['us']!];
  expect({ waves, waitMs }).toEqual({ waves: [['us', 'eu']], waitMs: 48 * 3_600_000 });
  expect(eu).toMatchObject({ fleet: 'apps', lease: { ssm: { region: 'eu-west-1' } } });
  expect(us).toMatchObject({
    ...{ fleet: 'shop', versions: ['1.35', '1.36'], slots: ['one', 'two'] },
    lease: { kubernetes: { namespace: 'swaps' } },
  });
  expect(eu.versions).toEqual([
    { version: '1.35', nodes: { type: 'm7g.large' } },
    { version: '1.36', nodes: { type: 'm7g.large' } },
  ]);
  const [one, other] = [swapPlan(eu), swapPlan(us)];
  expect(one.windows).toEqual([{ days: [0, 1, 2, 3, 4, 5, 6], from: 540, to: 960, timeZone: 'UTC' }]);
  expect(other.windows).toMatchObject([{ timeZone: 'America/New_York' }]);
  expect(one.phases.soak).toMatchObject({ leastMs: 7_200_000, everyMs: 60_000 });
  // The common `every` is of the common soak.
  expect(other.phases.soak).toMatchObject({ leastMs: 3_600_000, everyMs: 3_600_000 });
  expect(one.phases.delete.approval).toBeUndefined();
  expect(other.phases.delete.approval).toBeDefined();
  expect(other.phases.deliver.skip).toBe(true);
});

const git = (file: string, slots: string) =>
  `git: { repository: "https://github.com/acme/infra.git", file: ${file}, slots: [${slots}], weights: [w-${slots}], deployed: { command: [a] } }`;

/** The least file, with other programs. */
const programs = (eu: string, us: string, waves = ''): string =>
  `${leastWaves.replace(/pulumi: .*stack: eu.*/, eu).replace(/pulumi: .*stack: us.*/, us)}${waves}`;

const stack = (name: string, more = '') =>
  `pulumi: { stack: ${name}, slots: "talk:apps", weights: "talk:weights"${more} }`;

const together = 'waves: [[eu, us]]\n';

test.each<[string, string, readonly string[]]>([
  ['a common value is wrong once', changed('"1.36"', '1.36'), ['1:1 to: 1.36: must be']],
  [
    'a value of one fleet is wrong there',
    changed('    region: eu-west-1', '    region: here\n    to: 1.36'),
    ['7:5 fleets.eu.region: "here": must be', '8:5 fleets.eu.to: 1.36: must be'],
  ],
  [
    'what no one says is missing in each fleet',
    changed('to: "1.36"\n', ''),
    ['5:3 fleets.eu.to: is required', '9:3 fleets.us.to: is required'],
  ],
  [
    'a program is of one fleet',
    leastWaves
      .replace(/^ {4}program:\n.*stack: us.*\n/m, '')
      .concat('program: { commands: { read: [a], deploy: [b] } }\n'),
    ['10:3 fleets.us.program: is required', '12:1 program: unknown key'],
  ],
  [
    'a phase of one fleet is wrong there, though the common one is not',
    changed('    region: us-east-1', '    region: us-east-1\n    phases: { deliver: { checks: [] } }'),
    ['12:26 fleets.us.phases.deliver.checks: must be at least one check'],
  ],
  [
    'a common phase is wrong once',
    changed('argoApplications', 'argoApplication'),
    ['4:25 phases.deliver.checks[0].argoApplication: "argoApplication": must be'],
  ],
  [
    'an unknown key of a fleet',
    changed('    region: us-east-1', '    regoin: us-east-1'),
    ['10:3 fleets.us.region: is required', '11:5 fleets.us.regoin: unknown key, did you mean "region"?'],
  ],
  [
    'no fleet',
    leastWaves.replace(/fleets:\n[^]*/, 'fleets: {}\n'),
    ['5:1 fleets: {}: must be an object of 1 to 50'],
  ],
  ['waves without fleets', `${leastSwap}waves: [[eu]]\n`, ['fleets: is required', 'program: unknown key']],
  [
    'waves of other fleets',
    `${leastWaves}waves: [[eu, sa], [eu, constructor]]\n`,
    [
      'must be waves with every fleet: us is in none',
      'waves[0][1]: "sa": must be one of "eu", "us"',
      'waves[1][0]: "eu": must be in one wave only',
      'waves[1][1]: "constructor": must be one of "eu", "us"',
    ],
  ],
  [
    'an empty wave',
    `${leastWaves}waves: [[eu, us], []]\n`,
    ['waves[1]: []: must be a list of names of fleets'],
  ],
  ['too long a wait', `${leastWaves}waitBetweenWaves: 800h\n`, ['waitBetweenWaves: "800h": must be']],
  ['a name that is none', changed('  us:\n', '  US:\n'), ['10:3 fleets.US: "US": must be']],
  [
    'one fleet twice',
    changed('us-east-1', 'eu-west-1'),
    ['10:3 fleets.us: must be another fleet than eu: both are apps in eu-west-1'],
  ],
  [
    'two fleets of one name, one of them without a region',
    changed('    region: us-east-1\n', ''),
    ['10:3 fleets.us.region: is required: an AWS region, since the fleet eu is called apps as well'],
  ],
  [
    'one stack in one wave',
    programs(stack('prod'), stack('prod').replace('talk:apps', 'talk:shop'), together),
    ['waves[0][1]: "us": must be in another wave than eu: both change Pulumi stack prod, which has one lock'],
  ],
  [
    'one stack, by another name of its folder and with its organization',
    programs(
      stack('prod', ', folder: ./infra'),
      stack('acme/prod', ', folder: infra/').replace('talk:apps', 'talk:shop'),
      together,
    ),
    ['waves[0][1]: "us": must be in another wave than eu'],
  ],
  [
    'one stack from two folders',
    programs(
      stack('acme/talk/prod', ', folder: a'),
      stack('acme/talk/prod', ', folder: b').replace('talk:apps', 'talk:shop'),
      together,
    ),
    ['waves[0][1]: "us": must be in another wave than eu'],
  ],
  [
    'one file in Git in one wave',
    programs(git('a.yaml', 'eu'), git('a.yaml', 'us').replace('.git"', '"'), together),
    ['waves[0][1]: "us": must be in another wave than eu: both change the file a.yaml of one branch'],
  ],
  [
    'one configuration for two fleets, whatever their waves',
    programs(stack('prod'), stack('prod')),
    ['fleets.us.program: must be another one than that of eu: both have the same configuration'],
  ],
  [
    'one command for two fleets',
    programs('commands: { read: [a], deploy: [b] }', 'commands: { deploy: [b], read: [a] }'),
    ['fleets.us.program: must be another one than that of eu'],
  ],
  [
    'one plan of a shift for two fleets',
    leastWaves.replace('phases:\n', 'phases:\n  shift: { plan: plan.json }\n'),
    ['phases.shift.plan: must be a plan for each fleet: eu and us have the same'],
  ],
  [
    'one plan, by two paths',
    leastWaves
      .replace('  eu:\n', '  eu:\n    phases: { shift: { plan: ./plan.json } }\n')
      .replace('  us:\n', '  us:\n    phases: { shift: { plan: plan.json } }\n'),
    ['fleets.us.phases.shift.plan: must be a plan for each fleet'],
  ],
])('%s', (_, text, expected) => {
  expect(problemsOf(text)).toEqual(expected.map((part) => expect.stringContaining(part)));
});

test.each<[string, string]>([
  ['one stack in two waves', programs(stack('prod'), stack('prod').replace('talk:apps', 'talk:shop'))],
  ['two stacks of one folder in one wave', programs(stack('eu'), stack('us'), together)],
  ['two files of one branch in one wave', programs(git('a.yaml', 'eu'), git('b.yaml', 'eu'), together)],
  ['two stacks of one name', programs(stack('prod', ', folder: a'), stack('prod', ', folder: b'), together)],
  [
    'two fleets of one region',
    leastWaves.replace('us-east-1', 'eu-west-1').replace('  us:\n', '  us:\n    fleet: shop\n'),
  ],
  ['phases without a value', leastWaves.replace('  us:\n', '  us:\n    phases:\n')],
  [
    'a setting that repeats another one by an alias',
    leastWaves
      .replace('  eu:\n', '  eu:\n    windows: &w [{ from: "09:00", to: "16:00" }]\n')
      .replace('  us:\n', '  us:\n    windows: *w\n'),
  ],
])('%s is no problem', (_, text) => {
  expect(problemsOf(text)).toEqual([]);
});

test('settings of a program are checked in the same way', () => {
  const program = (name: string) => ({ commands: { read: ['a', name], deploy: ['b'] } });
  const settings = {
    ...{ fleet: 'apps', to: '1.36', phases: { deliver: { skip: true } }, region: undefined as never },
    fleets: {
      eu: { region: 'eu-west-1', program: program('eu') },
      us: { region: 'us-east-1', program: program('us'), to: undefined as never },
    },
  } satisfies SwapWavesSettings;
  const { fleets } = checkedSwapWaves(settings);
  expect(fleets['us']).toMatchObject({ versions: ['1.36'], region: 'us-east-1', file: 'swap.yaml' });
  const wrong = { ...settings, fleets: { ...settings.fleets, us: { program: program('us') } } };
  expect(() => checkedSwapWaves(wrong)).toThrow(/^swap: 1 problem\n {2}fleets\.us\.region: is required/);
  expect(() => checkedSwapWaves([] as never)).toThrow(InvalidInput);
  expect(() => checkedSwapWaves({ ...settings, windows: 1n as never })).toThrow(InvalidInput);
});
