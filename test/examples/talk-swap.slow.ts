import { unexpectedChanges } from '../../lib/operate/swap';
import type { DeploymentMeaning, ProgramChange } from '../../lib/operate/swap';
import { previewPrograms } from './preview-programs';

type Values = Readonly<Record<string, unknown>>;

/** Names of the resources that the program registers, each with its type before it, by the configuration. */
const registered = new Map<string, ReadonlySet<string>>();

/** What would be made and what would go. */
function changes(from: Values, to: Values): readonly ProgramChange[] {
  const [before, after] = [from, to].map((each) => registered.get(JSON.stringify(each))!) as [
    ReadonlySet<string>,
    ReadonlySet<string>,
  ];
  const of = (op: ProgramChange['op'], key: string): ProgramChange => {
    const [type = '', name = ''] = key.split(' ');
    return { op, type, name };
  };
  return [
    ...[...before].filter((key) => !after.has(key)).map((key) => of('delete', key)),
    ...[...after].filter((key) => !before.has(key)).map((key) => of('create', key)),
  ];
}

const swaps: [string, string, string][] = [
  ['apps', 'blue', 'green'],
  ['apps', 'green', 'blue'],
  ['hub', 'blue', 'green'],
  ['hub', 'green', 'blue'],
];

/** The other fleet has two slots of the same names. */
function configuration(fleet: string, slots: object, serving: string): Values {
  const both = { blue: '1.35', green: '1.36' };
  return {
    'talk:apps': fleet === 'apps' ? slots : both,
    'talk:weights': { [fleet === 'apps' ? serving : 'blue']: 100 },
    'talk:hubs': fleet === 'hub' ? slots : both,
    'talk:activeHub': fleet === 'hub' ? serving : 'blue',
  };
}

const cases = swaps.flatMap(([fleet, old, fresh]) => {
  const both = { [old]: '1.35', [fresh]: '1.36' };
  const meaning = { fleet, old, new: fresh };
  const of = (what: string, phase: Pick<DeploymentMeaning, 'phase' | 'back'>, from: Values, to: Values) => ({
    ...{ what, from, to, meaning: { ...meaning, ...phase } },
  });
  const before = configuration(fleet, { [old]: '1.35' }, old);
  return [
    of('create', { phase: 'create' }, before, configuration(fleet, both, old)),
    of(
      'delete',
      { phase: 'delete' },
      configuration(fleet, both, fresh),
      configuration(fleet, { [fresh]: '1.36' }, fresh),
    ),
    of('delete on the way back', { phase: 'delete', back: true }, configuration(fleet, both, old), before),
  ];
});

beforeAll(() => {
  const all = [...new Set(cases.flatMap(({ from, to }) => [from, to]).map((each) => JSON.stringify(each)))];
  const plans = previewPrograms(
    all.map((text) => ({ program: 'talk', stack: 'production', config: JSON.parse(text) as Values })),
  );
  plans.forEach(({ resources }, index) => {
    registered.set(all[index]!, new Set(resources.map(({ type, name }) => `${type} ${name}`)));
  });
});

test.each(cases)(
  '$what of $meaning.fleet from $meaning.old to $meaning.new does what the phase means',
  ({ from, to, meaning }) => {
    const { phase, back, fleet, old, new: fresh } = { back: false, ...meaning };
    const found = changes(from, to);
    const [op, slot] = phase === 'create' ? ['create', fresh] : ['delete', back ? fresh : old];
    expect(found).toContainEqual({ op, type: 'eks:index:Cluster', name: `${fleet}-${slot}` });
    expect(unexpectedChanges(found, meaning)).toEqual([]);
  },
);
