import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { EngineEvent } from '@pulumi/pulumi/automation';
import type { FleetConfiguration } from '../../../lib/operate/swap';
import { ProgramChanged } from '../../../lib/operate/swap';
import { pulumiProgram } from '../../../lib/pulumi/swap';
import type { PulumiProgramOptions, RunMark, StackApi } from '../../../lib/pulumi/swap';
import { endSentence } from '../../../lib/shift/engine';
import type { Verdict } from '../../../lib/shift/engine';

const stackFile = `config:
  aws:region: eu-west-1
  # Clusters by slot.
  talk:apps: { blue: '1.35' }
  talk:weights: { blue: 100 } # in percent
  talk:password:
    secure: v1:abc
`;

const before: FleetConfiguration = { slots: { blue: '1.35' }, weights: { blue: 100 } };
const wanted: FleetConfiguration = {
  slots: { blue: '1.35', green: '1.36' },
  weights: { blue: 100, green: 0 },
};

const never = new AbortController().signal;
const settings = { stack: 'production', slots: 'talk:apps', weights: 'talk:weights' };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swap-pulumi-'));
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: talk\nruntime: nodejs\n');
  writeFileSync(join(folder, 'Pulumi.production.yaml'), stackFile);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = () => readFileSync(join(folder, 'Pulumi.production.yaml'), 'utf8');

/** What the stack's operations were asked for, and what they do. */
class FakeStack {
  public readonly calls: string[] = [];
  public copies: string[] = [];
  public events: Partial<EngineEvent>[] = [];
  public failures: Error[] = [];
  public pending: unknown[] = [];
  public resources: unknown[] = [];
  public during: (options: Options) => Promise<void> | void = () => undefined;

  public readonly api = {
    workspace: { envVars: {} },
    preview: (options: Options) => this.run(`preview ${options.refresh}${targets(options)}`, options),
    up: (options: Options) =>
      this.run(`up ${options.refresh} ${options.message}${targets(options)}`, options),
    refresh: (options: Options) => this.run(`refresh ${options.target?.join()}`, options),
    cancel: () => Promise.resolve(void this.calls.push('cancel')),
    exportStack: () => {
      const { pending: pending_operations, resources } = this;
      return Promise.resolve({ version: 3, deployment: { pending_operations, resources } });
    },
  } as unknown as StackApi;

  private async run(call: string, options: Options): Promise<void> {
    this.calls.push(call);
    if (options.configFile !== undefined) {
      this.copies.push(options.configFile, readFileSync(options.configFile, 'utf8'));
    }
    await this.during(options);
    this.events.forEach((event) => options.onEvent(event as EngineEvent));
    const failure = this.failures.shift();
    if (failure) {
      throw failure;
    }
  }
}

const targets = ({ target }: Options): string => (target ? ` of ${target.join()}` : '');

interface Options {
  readonly configFile?: string;
  readonly refresh?: boolean;
  readonly message?: string;
  readonly target?: readonly string[];
  readonly signal: AbortSignal;
  readonly onEvent: (event: EngineEvent) => void;
}

const inMemory = (mark?: RunMark) => ({
  mark,
  read() {
    return this.mark;
  },
  write(next: RunMark) {
    this.mark = next;
  },
  remove() {
    this.mark = undefined;
  },
});

const programOf = (fake: FakeStack, options: PulumiProgramOptions = {}, more: object = {}) =>
  pulumiProgram(
    { ...settings, ...more },
    { base: folder, open: () => Promise.resolve(fake.api), marks: inMemory(), lockPause: 1, ...options },
  );

const deploy = async (fake: FakeStack, options: PulumiProgramOptions = {}, signal = never) => {
  const lines: string[] = [];
  const change = {
    ...{ configuration: wanted, expected: [before], title: 'apps: create green' },
    say: (line: string) => void lines.push(line),
  };
  await programOf(fake, options).deploy(change, signal);
  return lines;
};

const locked = (line = '') =>
  Object.assign(
    new Error(
      `code: 255\n stderr: error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end ` +
        `or delete the lock file with \`pulumi cancel\`.\n  ${line}`,
    ),
    { name: 'ConcurrentUpdateError' },
  );

const step = (op: string, urn: string, more: object = {}) =>
  ({ resourcePreEvent: { metadata: { op, urn, type: 'aws:eks/cluster:Cluster', ...more } } }) as never;

describe('what the configuration says', () => {
  const read = (content: string, more = {}) => {
    writeFileSync(join(folder, 'Pulumi.production.yaml'), content);
    return programOf(new FakeStack(), {}, more).read(never);
  };

  test('slots and weights, whether they are written as YAML or as the JSON of "pulumi config set"', async () => {
    await expect(read(stackFile)).resolves.toEqual(before);
    await expect(
      read(
        `config:\n  talk:apps: '{"blue":{"version":"1.35","nodes":{"max":3}}}'\n  talk:weights:\n    blue: 100\n`,
      ),
    ).resolves.toEqual({ ...before, slots: { blue: { version: '1.35', nodes: { max: 3 } } } });
  });

  test('the hub that writes', async () => {
    const content = 'config:\n  talk:hubs: { blue: "1.35" }\n  talk:activeHub: blue\n';
    const more = { slots: 'talk:hubs', weights: undefined, active: 'talk:activeHub' };
    await expect(read(content, more)).resolves.toEqual({ slots: { blue: '1.35' }, active: 'blue' });
    await expect(read(content.replace(': blue', ': green'), more)).rejects.toThrow(
      'Pulumi.production.yaml:3:3 config.talk:activeHub: "green": must be one of the slots: blue',
    );
  });

  test.each([
    [
      'a version without quotes',
      "'1.35'",
      '1.35',
      '4:16 config.talk:apps.blue: 1.35: must be a minor version',
    ],
    [
      'a weight as a text',
      'blue: 100',
      'blue: "100"',
      '5:19 config.talk:weights.blue: "100": must be a whole',
    ],
    ['weights that add up to less', 'blue: 100', 'blue: 99', 'must be whole percents that add up to 100'],
    [
      'a weight of no slot',
      '{ blue: 100',
      '{ blue: 50, red: 50',
      'weights.red: 50: must be 0: it is not one',
    ],
    [
      'no weights',
      'talk:weights: { blue: 100 }',
      'talk:other: 1',
      'config.talk:weights: is required: an object',
    ],
    ['no slots', 'talk:apps', 'talk:other', 'config.talk:apps: is required: an object'],
    ['a merge key', '{ blue: 100', '{ "<<": {}, blue: 100', 'config.talk:weights.<<'],
    ['a key twice', 'aws:region', 'talk:apps', 'another key'],
    ['an empty file', stackFile, '', 'config.talk:apps: is required'],
  ])('refused: %s', async (_name, from, to, message) => {
    await expect(read(stackFile.replace(from, to))).rejects.toThrow(message);
  });

  test('a secret is refused, and not shown', async () => {
    const content = stackFile.replace("{ blue: '1.35' }", '{ secure: v1:topsecret }');
    const error = (await read(content).catch((failure: unknown) => failure)) as Error;
    expect(error.message).toMatch(/talk:apps.*must be a plain value/);
    expect(error.message).not.toContain('topsecret');
  });

  test('a folder without a project, and a stack without a file', async () => {
    rmSync(join(folder, 'Pulumi.production.yaml'));
    await expect(programOf(new FakeStack()).read(never)).rejects.toThrow(/there is no such file/);
    rmSync(join(folder, 'Pulumi.yaml'));
    await expect(programOf(new FakeStack()).read(never)).rejects.toThrow(
      /a folder with the file Pulumi.yaml/,
    );
  });

  test('a project may keep the files of its stacks in a folder, and a stack may have a long name', async () => {
    writeFileSync(join(folder, 'Pulumi.yaml'), 'name: talk\nruntime: nodejs\nstackConfigDir: stacks\n');
    mkdirSync(join(folder, 'stacks'));
    writeFileSync(join(folder, 'stacks', 'Pulumi.production.yaml'), stackFile);
    const program = programOf(new FakeStack(), {}, { stack: 'acme/talk/production' });
    await expect(program.read(never)).resolves.toEqual(before);
  });

  test('settings that are wrong are refused, all of them', () => {
    const wrong = { stack: '--yes', slots: 'apps', weights: 'talk:w', active: 'talk:w', folders: '.' };
    expect(() => pulumiProgram(wrong as never)).toThrow(
      /stack.*\n.*slots.*\n.*active conflicts with.*"weights"|folders/,
    );
    expect(() => pulumiProgram({ stack: 'x', slots: 'a:b' })).toThrow(
      /weights: is required: a configuration key, unless/,
    );
  });
});

describe('a preview', () => {
  test('runs with a copy of the configuration, which is gone afterwards; the file stays', async () => {
    const fake = new FakeStack();
    await expect(programOf(fake).preview(wanted, never)).resolves.toEqual([]);
    expect(fake.copies[1]).toBe(
      stackFile
        .replace("blue: '1.35'", "blue: '1.35', green: '1.36'")
        .replace('blue: 100', 'blue: 100, green: 0'),
    );
    expect(text()).toBe(stackFile);
    expect(() => readdirSync(dirname(fake.copies[0]!))).toThrow(/ENOENT/);
  });

  test('tells each resource once', async () => {
    const fake = new FakeStack();
    fake.events = [
      step('same', 'urn:a'),
      step('refresh', 'urn:a'),
      step('create', 'urn:b'),
      step('update', 'urn:c', { diffs: ['tags'], detailedDiff: { 'actions[0].weight': {}, tags: {} } }),
      step('create-replacement', 'urn:d', { diffs: ['role'] }),
      step('replace', 'urn:d'),
      step('delete-replaced', 'urn:d'),
      step('delete', 'urn:e'),
      step('read', 'urn:f'),
      step('of-tomorrow', 'urn:g'),
    ];
    const type = 'aws:eks/cluster:Cluster';
    await expect(programOf(fake).preview(wanted, never)).resolves.toEqual([
      { op: 'create', type, name: 'urn:b' },
      { op: 'update', type, name: 'urn:c', properties: ['actions', 'tags'] },
      { op: 'replace', type, name: 'urn:d', properties: ['role'] },
      { op: 'delete', type, name: 'urn:e' },
      { op: 'read', type, name: 'urn:f' },
      { op: 'other', type, name: 'urn:g' },
    ]);
  });

  test('that fails says why, in the words of the engine', async () => {
    const fake = new FakeStack();
    fake.events = [
      { diagnosticEvent: { severity: 'error', message: '<{%reset%}>no such role\n<{%reset%}>', color: '' } },
    ];
    fake.failures = [new Error('code: 255 stdout: much')];
    const preview = programOf(fake).preview(wanted, never);
    await expect(preview).rejects.toThrow('pulumi preview of Pulumi stack production failed: no such role.');
  });
});

describe('what a drain has deleted', () => {
  const urn = (type: string, name: string) => `urn:pulumi:production::talk::${type}::${name}`;
  const provider = (name: string) => `${urn('pulumi:providers:kubernetes', name)}::0f3e`;
  const object = (name: string, by: string, type = 'kubernetes:core/v1:Service') => ({
    ...{ urn: urn(`cluster-canary:bridge:Manifests$${type}`, name), type, provider: provider(by) },
  });
  const restore = { fleet: 'apps', slot: 'blue' };
  const restored = async (fake: FakeStack) => {
    const lines: string[] = [];
    const program = programOf(fake);
    const changes = await program.preview(before, never, restore);
    const change = { configuration: before, expected: [before], title: 'apps: blue', restore };
    await program.deploy({ ...change, say: (line) => void lines.push(line) }, never);
    return { changes, lines };
  };

  test('is made again: the objects of its cluster alone are refreshed and deployed', async () => {
    const fake = new FakeStack();
    const web = object('web', 'apps-blue');
    fake.resources = [
      web,
      object('apps-blue', 'hub-blue', 'kubernetes:core/v1:Secret'),
      object('web', 'apps-green'),
      { urn: urn('aws:eks/cluster:Cluster', 'apps-blue'), type: 'aws:eks/cluster:Cluster' },
      { urn: urn('pulumi:providers:kubernetes', 'apps-blue'), type: 'pulumi:providers:kubernetes' },
      {},
    ];
    fake.events = [step('refresh', web.urn), step('create', web.urn, { type: web.type })];
    const { changes } = await restored(fake);
    expect(changes).toEqual([{ op: 'create', type: web.type, name: web.urn }]);
    expect(fake.calls).toEqual([`preview true of ${web.urn}`, `up true apps: blue of ${web.urn}`]);
    expect(text()).toBe(stackFile);
  });

  test('of a program that does not name providers after clusters, by the name of the slot', async () => {
    const fake = new FakeStack();
    const [one, other] = [object('blue-web', 'default'), object('web', 'k8s-blue')];
    fake.resources = [one, other, object('bluebell', 'default'), object('web', 'k8s-green')];
    await restored(fake);
    expect(fake.calls[1]).toBe(`up true apps: blue of ${one.urn},${other.urn}`);
  });

  test('is nothing of the program where it has made nothing in the cluster', async () => {
    const fake = new FakeStack();
    fake.resources = [object('web', 'apps-green')];
    expect(await restored(fake)).toEqual({
      changes: [],
      lines: ['the state has no Kubernetes objects of slot blue: none is made again'],
    });
    expect(fake.calls).toEqual([]);
  });
});

describe('a deployment', () => {
  test('writes the configuration with its comments, deploys, and tells what happens', async () => {
    const fake = new FakeStack();
    fake.events = [
      step('create', 'urn:pulumi:production::talk::aws:eks/cluster:Cluster::green'),
      {
        diagnosticEvent: { severity: 'info', message: 'apps: 10%\n##[error] x', color: '', ephemeral: true },
      },
      { diagnosticEvent: { severity: 'info', message: '##[error] x', color: '' } },
      { diagnosticEvent: { severity: 'debug' as 'info', message: 'Registering resource', color: '' } },
      { diagnosticEvent: { severity: 'warning', message: 'password=hunter2hunter2', color: '' } },
    ];
    await expect(deploy(fake)).resolves.toEqual([
      'creating aws:eks/cluster:Cluster green',
      'apps: 10%',
      String.raw`#\u0023[error] x`,
      'password=[secret]',
    ]);
    expect(fake.calls).toEqual(['up false apps: create green']);
    expect(text()).toContain("# Clusters by slot.\n  talk:apps: { blue: '1.35', green: '1.36' }\n");
    expect(text()).toContain('talk:weights: { blue: 100, green: 0 } # in percent\n');
  });

  test.each([[true], [undefined]])('that takes back (%s) tells the program so', async (back) => {
    const fake = new FakeStack();
    let told: unknown;
    fake.during = () => void (told = { ...fake.api.workspace.envVars });
    const change = { configuration: wanted, expected: [before], title: 'x', say: () => undefined };
    const program = programOf(fake);
    await program.deploy({ ...change, back: true }, never);
    await program.deploy({ ...change, ...(back && { back }) }, never);
    expect(told).toEqual({ CLUSTER_CANARY_TAKE_BACK: String(back === true) });
  });

  test('is run again where the configuration is there already', async () => {
    const fake = new FakeStack();
    await deploy(fake);
    const written = text();
    await deploy(fake);
    expect(text()).toBe(written);
    expect(fake.calls).toHaveLength(2);
  });

  test('refuses a configuration that somebody else has changed', async () => {
    const fake = new FakeStack();
    const changed = stackFile.replace('1.35', '1.34');
    writeFileSync(join(folder, 'Pulumi.production.yaml'), changed);
    const error = (await deploy(fake).catch((failure: unknown) => failure)) as ProgramChanged;
    expect(error).toBeInstanceOf(ProgramChanged);
    expect(error.found.slots).toEqual({ blue: '1.34' });
    expect(error.message).toContain('says blue 1.34 (100%), where the swap expects blue 1.35 (100%)');
    expect([fake.calls, text()]).toEqual([[], changed]);
  });

  test('refreshes what was interrupted, and names what was being created where it fails', async () => {
    const fake = new FakeStack();
    fake.resources = [{ urn: 'urn:rule', type: 'aws:lb/listenerRule:ListenerRule' }];
    fake.pending = [
      { type: 'updating', resource: { urn: 'urn:rule' } },
      { type: 'creating', resource: { urn: 'urn:cluster' } },
    ];
    await deploy(fake);
    expect(fake.calls).toEqual(['refresh urn:rule', 'up false apps: create green']);
    fake.pending.shift();
    fake.failures = [
      new Error('code: 255\n stderr: failed: pulumi up\nerror: it is there\nerror: update failed'),
    ];
    await expect(deploy(fake)).rejects.toThrow(
      /failed: it is there; update failed\. An earlier deployment was killed while it created urn:cluster\./,
    );
  });

  test.each<[Verdict, string]>([
    ['aborted', 'ShiftAborted'],
    ['rolledBack', 'Error'],
  ])('a shift that was %s fails it', async (verdict, kind) => {
    const fake = new FakeStack();
    const text = `error: hook failed: ${endSentence('FleetTraffic "apps"', verdict)} Another process changed the weights.`;
    fake.failures = [new Error(`code: 255\n stderr: failed: pulumi up\n${text}`)];
    const error = await deploy(fake).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ message: expect.stringContaining('Another process changed') });
    expect((error as Error).name).toBe(kind);
  });
});

describe('live weights', () => {
  const takeOver = (fake: FakeStack) => programOf(fake).takeOverWeights!(() => undefined, never);

  test('are taken over by a refresh of what holds them', async () => {
    const fake = new FakeStack();
    fake.resources = [
      { urn: 'urn:stack', type: 'pulumi:pulumi:Stack' },
      { urn: 'urn:rule', type: 'aws:lb/listenerRule:ListenerRule' },
      { urn: 'urn:group', type: 'aws:lb/targetGroup:TargetGroup' },
      { urn: 'urn:record', type: 'aws:route53/record:Record' },
    ];
    await takeOver(fake);
    expect(fake.calls).toEqual(['refresh urn:rule,urn:record']);
  });

  test('of a stack that is locked are taken over later', async () => {
    const fake = new FakeStack();
    fake.resources = [{ urn: 'urn:rule', type: 'aws:lb/listenerRule:ListenerRule' }];
    fake.failures = [locked()];
    await takeOver(fake);
    expect(fake.calls).toEqual(['refresh urn:rule', 'refresh urn:rule']);
  });

  test('need nothing where no rule is in the state', async () => {
    const fake = new FakeStack();
    await takeOver(fake);
    expect(fake.calls).toEqual([]);
  });
});

describe('a stack that is locked', () => {
  const gone = 2 ** 22 + 1;
  const at = Math.floor(Date.now() / 1000) * 1000;
  const { username: user } = userInfo();
  const here = { host: hostname(), user, at, processes: undefined };
  const lockLine = (pid: number, time = at) =>
    `file:///s/.pulumi/locks/x.json: created by ${user}@${hostname()} (pid ${pid}) at ${new Date(time).toISOString()}`;
  const marked = async () => {
    // As a run leaves it that is killed in its deployment.
    const marks = inMemory();
    const fake = new FakeStack();
    let found: RunMark | undefined;
    fake.during = () => void (found = marks.mark);
    await deploy(fake, { marks });
    expect(marks.mark).toBeUndefined();
    return inMemory({ ...found!, at: here.at });
  };

  test('is waited for', async () => {
    const fake = new FakeStack();
    fake.failures = [locked(), locked(lockLine(process.pid))];
    const lines = await deploy(fake);
    expect(fake.calls).toHaveLength(3);
    expect(lines).toEqual([
      'another update has the stack; waiting for it',
      `another update has the stack: ${user}@${hostname()} (process ${process.pid}); waiting for it`,
    ]);
  });

  test('for too long: it says what to do', async () => {
    const fake = new FakeStack();
    fake.failures = [locked(lockLine(gone))];
    await expect(deploy(fake, { lockPatience: 0 })).rejects.toThrow(
      /"pulumi cancel --stack production" in \//,
    );
    expect(fake.calls).not.toContain('cancel');
  });

  test('by a run of this machine that was killed, is free again', async () => {
    const fake = new FakeStack();
    fake.failures = [locked(lockLine(gone))];
    const marks = await marked();
    await deploy(fake, { marks });
    expect(fake.calls).toEqual([expect.stringContaining('up'), 'cancel', expect.stringContaining('up')]);
    expect(marks.mark).toBeUndefined();
  });

  test('is so once: then another one has it', async () => {
    const fake = new FakeStack();
    fake.failures = [locked(lockLine(gone)), locked(lockLine(gone)), locked(lockLine(gone))];
    await deploy(fake, { marks: await marked() });
    expect(fake.calls.filter((call) => call === 'cancel')).toHaveLength(1);
  });

  test('by an engine that was killed under a run of ours, is free again', async () => {
    const fake = new FakeStack();
    const marks = inMemory();
    fake.failures = [
      new Error('code: -2\n stderr: Command was killed with SIGKILL (Forced termination): pulumi'),
    ];
    await expect(deploy(fake, { marks })).rejects.toThrow(
      /failed: the program pulumi was ended by SIGKILL\.$/,
    );
    fake.failures = [locked(lockLine(gone, Date.now()))];
    await deploy(fake, { marks });
    expect(fake.calls.filter((call) => call === 'cancel')).toHaveLength(1);
  });

  test('by a process that lives, is not', async () => {
    const fake = new FakeStack();
    fake.failures = [locked(lockLine(process.pid))];
    await expect(deploy(fake, { marks: await marked(), lockPatience: 0 })).rejects.toThrow(/is locked by/);
    expect(fake.calls).not.toContain('cancel');
  });

  test('the wait ends with the run', async () => {
    const fake = new FakeStack();
    const stop = new AbortController();
    fake.failures = Array.from({ length: 1_000 }, () => locked());
    fake.during = () => stop.abort(new Error('enough'));
    await expect(deploy(fake, { lockPause: 60_000 }, stop.signal)).rejects.toThrow('enough');
  });
});

describe('an interrupt', () => {
  const interrupted = async (isHeard: boolean) => {
    const fake = new FakeStack();
    const stop = new AbortController();
    let signals = 0;
    fake.during = async ({ signal, onEvent }) => {
      signal.addEventListener('abort', () => (signals += 1));
      stop.abort(new Error('interrupted'));
      if (isHeard) {
        onEvent({ stdoutEvent: { message: '^C received; cancelling.', color: '' } } as EngineEvent);
      }
      await new Promise((done) => setTimeout(done, 1_200));
      throw new Error('code: 255');
    };
    await expect(deploy(fake, {}, stop.signal)).rejects.toThrow('interrupted');
    return signals;
  };

  test('reaches the engine once, and the engine is waited for', async () => {
    await expect(interrupted(false)).resolves.toBe(1);
  });

  test('of the terminal, which the engine has heard already, is not sent again', async () => {
    await expect(interrupted(true)).resolves.toBe(0);
  });
});
