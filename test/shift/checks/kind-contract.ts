import Ajv2020 from 'ajv/dist/2020';
import type { AccessRule } from '../../../lib/core/kubernetes/api';
import { formatProblem as sentence, InvalidInput } from '../../../lib/core/validation';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { AnyCheckKind, CheckContext } from '../../../lib/shift/checks';
import { kindOf, settingsProblems } from '../../../lib/shift/checks';
import { checkJson } from '../../../lib/shift/checks/kinds';
import { OwnRequests } from '../../../lib/shift/probes';
import { subject } from './metric-samples';

type Settings = Readonly<Record<string, unknown>>;

/** What a kind does not keep of the contract of checks; nothing for one that keeps it. */
export function contractProblems(word: string, kind: AnyCheckKind, example: Settings): readonly string[] {
  const wrong = settingsProblems(kind, example, subject).map((problem) => sentence(problem));
  if (wrong.length > 0) {
    return wrong.map((each) => `its example is refused: ${each}`);
  }
  const smallest = minimal(kind, example);
  return [
    ...wordProblems(word, kind),
    ...unknownKeyProblems(kind, smallest),
    ...schemaProblems(word, kind, example),
    ...createProblems(kind, [example, smallest]),
    ...needsProblems(kind, smallest),
    ...permissionProblems(kind, [example, smallest]),
    ...useProblems(kind, smallest),
  ];
}

/** The example without what may be left out. */
export function minimal(kind: AnyCheckKind, example: Settings): Settings {
  return Object.keys(example).reduce((settings, key) => {
    const { [key]: _key, ...less } = settings;
    return settingsProblems(kind, less, subject).length === 0 ? less : settings;
  }, example);
}

function wordProblems(word: string, { asks, stages }: AnyCheckKind): string[] {
  return [
    ...(/^[a-z]\w*(\.[a-z]\w*)?$/i.test(word) ? [] : [`its word is ${word}`]),
    ...(/^[A-Z][^\n|]{5,100}[^.\s]$/.test(asks) ? [] : [`what it asks is no line: ${asks}`]),
    ...(stages.length > 0 && new Set(stages).size === stages.length
      ? []
      : [`its stages are ${stages.join(', ')}`]),
    ...stages
      .filter((each) => each !== 'before' && each !== 'after')
      .map((each) => `its stage ${String(each)}`),
  ];
}

/** Each key of the settings with a letter too many. */
function unknownKeyProblems(kind: AnyCheckKind, settings: Settings): string[] {
  const keys = Object.keys(kind.args.json.properties ?? {});
  if (!keys.includes('name')) {
    return ['it takes no name'];
  }
  return keys
    .filter((key) => !keys.includes(`${key}x`))
    .flatMap((key) => {
      const found = settingsProblems(kind, { ...settings, [`${key}x`]: 'hunter2' }, subject);
      const said = found.map((problem) => sentence(problem));
      const isTold = said.some((each) => each.startsWith(`${key}x: unknown key, did you mean "`));
      return isTold && !JSON.stringify(found).includes('hunter2')
        ? []
        : [`${key}x is not refused: ${said.join('; ')}`];
    });
}

type Place = readonly (string | number)[];

/** Every place in a value, but for the value itself. */
function placesIn(value: unknown, before: Place = []): Place[] {
  const keys: Place = Array.isArray(value)
    ? [...value.keys()]
    : typeof value === 'object' && value !== null
      ? Object.keys(value)
      : [];
  return keys.flatMap((key) => [[...before, key], ...placesIn((value as any)[key], [...before, key])]);
}

/** A copy in which a place has another value; `undefined` takes it away. */
function changed(settings: Settings, place: Place, value: unknown): Settings {
  const copy = structuredClone(settings);
  const holder = place.slice(0, -1).reduce((found: any, key) => found[key], copy);
  if (value === undefined && !Array.isArray(holder)) {
    delete holder[place.at(-1)!];
  } else {
    holder[place.at(-1)!] = value;
  }
  return copy;
}

const samples: readonly unknown[] = [
  ...[undefined, null, true, false, -1, 0, 0.5, 1, 100, 1e6],
  ...['', 'text', 'two\nlines', 'pass', '0s', '1h30m', '-1s', 'https://a.example'],
  ...[[], ['text'], [1], {}, { env: 'A' }, { unheardOf: 'x' }, { 'a b': 'x' }],
];

/**
 * What the parser accepts, the JSON Schema accepts. What the parser refuses because it is of another type, missing or
 * unknown, the JSON Schema refuses; it can't say everything else.
 */
function schemaProblems(word: string, kind: AnyCheckKind, example: Settings): string[] {
  const json = checkJson({ [word]: kind });
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true });
  const validate = ajv.compile(json);
  const accepts = (settings: unknown) => validate({ [word]: settings });
  const only = Object.keys(kind.programOnly ?? {});
  const problems: string[] = accepts(example) ? [] : ['its JSON Schema refuses its example'];
  const described: any = json.properties![word]!;
  const properties = described.properties ?? described.anyOf[0].properties;
  for (const [key, of] of Object.entries<any>(properties)) {
    if (of.type === undefined && of.enum === undefined && of.anyOf === undefined && of.const === undefined) {
      problems.push(`its JSON Schema says nothing of ${key}`);
    }
  }
  const keys = Object.keys(kind.args.json.properties!).filter((key) => !only.includes(key));
  const places = [...placesIn(example), ...keys.filter((key) => !(key in example)).map((key) => [key])];
  for (const place of places) {
    const tried = samples.map((value) => {
      const settings = changed(example, place, value);
      return { value, found: problemsOf(kind.args, settings), isAccepted: accepts(settings) };
    });
    const fine = tried.filter(({ value, found }) => value !== undefined && found.length === 0);
    const types = new Set(fine.map(({ value }) => typeOf(value)));
    // A value may be wrong beside others, whatever it is.
    const { type } = properties[place[0]!] ?? {};
    types.add(types.size > 0 || place.length > 1 ? '' : type === 'integer' ? 'number' : type);
    const now = place.reduce((found: any, key) => found?.[key], example);
    for (const { value, found, isAccepted } of tried) {
      const isTyped = types.has(typeOf(value)) || typeOf(value) === typeOf(now);
      const isPlain = value === undefined ? found.some((each) => each.kind === 'required') : !isTyped;
      if (found.length === 0 ? !isAccepted : isAccepted && isPlain) {
        const who = isAccepted ? 'only its JSON Schema accepts' : 'its JSON Schema refuses';
        problems.push(`${who} ${place.join('.')} ${JSON.stringify(value)}`);
      }
    }
  }
  if (accepts({ ...example, unheardOf: 1 }) || only.some((key) => accepts({ ...example, [key]: 'x' }))) {
    problems.push('its JSON Schema accepts a key that a plan file may not have');
  }
  return [...problems, ...only.filter((key) => !(key in kind.args.json.properties!))];
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

/** Where whoever asks finds nothing but an error. */
function unaskable(of = subject): CheckContext {
  const refuse = (): never => {
    throw new Error('it asks while it is made');
  };
  return {
    subject: of,
    clock: { now: refuse, sleep: refuse },
    env: new Proxy({}, { get: refuse }),
    random: refuse,
    readFile: refuse,
    http: refuse as never,
    sendProbe: refuse,
    ownRequests: new OwnRequests(),
    aws: () => ({ cloudWatch: refuse, elasticLoadBalancing: refuse }) as never,
    metricData: () => ({ query: refuse }),
    credentials: refuse,
    targetHealth: { targets: refuse },
    alarms: { alarms: refuse },
    kubernetes: refuse,
    kubernetesJobs: refuse,
    runProgram: refuse as never,
  };
}

function createProblems(kind: AnyCheckKind, all: readonly Settings[]): string[] {
  return all.flatMap((settings) => {
    try {
      const { name, stages } = kind.create('a name', settings, unaskable());
      return [
        ...(name === 'a name' ? [] : [`its check is called ${name}`]),
        ...(stages.length > 0 ? [] : ['its check is asked in no stage']),
        ...stages.filter((each) => !kind.stages.includes(each)).map((each) => `it is also asked ${each}`),
      ];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** What it says that it needs, it needs, and nothing more. */
function needsProblems(kind: AnyCheckKind, settings: Settings): string[] {
  const { layer } = subject;
  const slots = Object.fromEntries(
    Object.entries(subject.slots).map(([slot, { targetGroupArn: _arn, ...rest }]) => [slot, rest]),
  );
  const needsGroups = isRefused(() => kind.create('a', settings, unaskable({ layer, slots })));
  const needsHttp = settingsProblems(kind, settings, { ...subject, layer: 'connections' }).length > 0;
  const found = needsHttp ? 'requests' : needsGroups ? 'targetGroups' : 'nothing';
  return found === kind.needs ? [] : [`it says that it needs ${kind.needs}, and needs ${found}`];
}

function isRefused(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch (error) {
    return error instanceof InvalidInput;
  }
}

/** What a check runs in a cluster is a Job, and nothing else is written by one. */
function isOfJobs({ apiGroups, resources }: AccessRule): boolean {
  return apiGroups.join() === 'batch' && resources.join() === 'jobs';
}

/** Permissions to read, by their names, and no others but for Jobs. */
function permissionProblems(kind: AnyCheckKind, all: readonly Settings[]): string[] {
  return all.flatMap((settings) => [
    ...(kind.permissions?.(settings, subject) ?? [])
      .filter(
        ({ actions, resources }) =>
          actions.length === 0 ||
          resources.length === 0 ||
          !actions.every((each) => /^[a-z0-9-]+:(Describe|Get|List|Query)[A-Za-z]+$/.test(each)) ||
          !resources.every((each) => each === '*' || each.startsWith('arn:')),
      )
      .map((each) => `its permission ${JSON.stringify(each)}`),
    ...(kind.access?.(settings, subject) ?? [])
      .filter(
        ({ at, rule }) =>
          at.length === 0 ||
          (!surveys(kind) &&
            (rule.resources.length === 0 || [...rule.apiGroups, ...rule.resources].includes('*'))) ||
          !rule.verbs.every((verb) =>
            [
              ...['get', 'list', ...(isOfJobs(rule) ? ['create', 'delete'] : [])],
              // A dry run takes the right of what it tries.
              ...(surveys(kind) && rule.resources.join() === 'pods' ? ['create'] : []),
            ].includes(verb),
          ),
      )
      .map((each) => `its access ${JSON.stringify(each)}`),
  ]);
}

/** Whether it looks at all of a cluster. */
function surveys(kind: AnyCheckKind): boolean {
  return kind === kindOf('readiness');
}

/** What simulations and canaries take of it. */
function useProblems(kind: AnyCheckKind, settings: Settings): string[] {
  const simulated = kind.simulated?.(settings);
  const forms = ['share', 'comparison', 'healthyTargets', 'capacity', 'vitals'];
  const times = Object.entries(kind.canaryTimes?.(settings) ?? {});
  const other = kind.withoutMemory === undefined ? undefined : kindOf(kind.withoutMemory);
  return [
    ...(simulated && forms.filter((form) => form in simulated).length !== 1
      ? ['it is simulated as nothing']
      : []),
    ...times
      .filter(([key, ms]) => key.endsWith('Ms') && !(Number.isFinite(ms) && Number(ms) >= 0))
      .map(([key]) => `its ${key} is no time`),
    ...(kind.withoutMemory !== undefined && other?.canaryTimes === undefined
      ? [`${kind.withoutMemory} is no kind for canaries`]
      : []),
  ];
}
