import { opaque, refuseArguments } from '../../core/validation/arguments';
import { either, object, optional } from '../../core/validation/collections';
import { Problems, isPlainObject } from '../../core/validation/problems';
import { callback, flag, number, secret, text } from '../../core/validation/values';
import { checkAnswers, readAnswers } from './answers';
import type { Answers } from './answers';
import { joinConfiguration } from './configuration';
import { PreviewFailed, madeResources } from './errors';
import type { MadeResource } from './errors';
import { PreviewMonitor } from './monitor';
import { standInForUnknownResults } from './outputs';
import type { PlainInvokes } from './outputs';
import { schemaVersion, summarize } from './plan';
import type { PreviewPlan } from './plan';
import { ProgramErrors, runPulumiProgram } from './program';
import { readProject, stackName } from './project';
import type { Project } from './project';
import {
  RecordedCallbacks,
  enterPreview,
  loadSdk,
  withoutPromiseTraces,
  withoutSourcePositions,
} from './sdk';
import type { Debuggable, LocatesResources, Sdk } from './sdk';
import { settle } from './settle';
import type { Ending } from './settle';
import { Transforms } from './transforms';
import { urnParts } from './wire';

/** One run of a program. */
export interface Run {
  readonly project: Project;
  readonly sdk: Sdk;
  readonly monitor: PreviewMonitor;
  readonly callbacks: RecordedCallbacks;
  readonly program: () => unknown;
  readonly timeoutSeconds: number;
  readonly untilIdle: boolean;
}

/** Parts of Pulumi's runtime that its types leave out. */
interface InnerRuntime extends PlainInvokes {
  waitForRPCs(): Promise<void>;
}

/**
 * Runs a program to its end, and puts everything back that it changed in the process.
 *
 * @returns the resources that it made, in the order of making
 * @throws PreviewFailed where it throws or doesn't end
 */
async function runToEnd(run: Run): Promise<MadeResource[]> {
  const { project, sdk, monitor } = run;
  const inner = sdk.pulumi.runtime as unknown as InnerRuntime;
  const errors = new ProgramErrors();
  const { store, leave } = enterPreview(sdk, {
    monitor,
    callbacks: run.callbacks,
    project: project.name,
    stack: project.stack,
    organization: project.organization,
    rootDirectory: project.root,
    values: project.configuration.values,
    secretKeys: project.configuration.secretKeys,
  });
  const undo = [
    leave,
    standInForUnknownResults(inner, (value) => sdk.pulumi.isUnknown(value)),
    withoutPromiseTraces(sdk.require('./runtime/debuggable') as Debuggable),
    withoutSourcePositions(sdk.pulumi.Resource as unknown as LocatesResources),
    errors.listen(),
    enterFolder(project),
  ];
  try {
    const outputs = sdk.pulumi.runtime.runInPulumiStack(async () => {
      try {
        return await run.program();
      } catch (error) {
        // Not thrown on: the stack would reject several promises with it.
        errors.add(error);
        return undefined;
      }
    });
    const ending = await settle({
      done: outputs.then(() => inner.waitForRPCs(), errors.add),
      failed: errors.first,
      count: () => monitor.resources.size,
      timeoutSeconds: run.timeoutSeconds,
      untilIdle: run.untilIdle,
    });
    const made = madeResources(store.stackResource, project);
    throwIfFailed(run, ending, errors.all, pendingAmong(made, monitor));
    if (store.logErrorCount > 0) {
      throw new PreviewFailed('the program logged an error, which ends a deployment', []);
    }
    return made;
  } finally {
    undo.reverse().forEach((each) => each());
  }
}

/** Resources whose registration never came: they wait for an input or a parent. */
function pendingAmong(made: readonly MadeResource[], monitor: PreviewMonitor): string[] {
  // Nobody registers a resource that is looked up by its URN; it has lost its parent in the tree, too.
  const lookedUp = new Set([...monitor.lookedUp].map(urnParts).map(({ type, name }) => `${type} ${name}`));
  return made
    .filter(({ urn }) => !monitor.resources.has(urn))
    .map(({ type, name }) => `${type} ${name}`)
    .filter((each) => !lookedUp.has(each));
}

function throwIfFailed(
  { monitor, timeoutSeconds }: Run,
  ending: Ending,
  errors: readonly unknown[],
  pending: readonly string[],
): void {
  const details = pending.map((each) => `pending: ${each}`);
  if (errors.length > 0) {
    const unanswered = monitor.unknownResults.filter(({ kind }) => kind === 'invoke');
    const hints = unanswered.map(
      ({ name }) => `note: the result of ${name} was unknown; the answers file can give it`,
    );
    throw new PreviewFailed('the program threw', errors, hints);
  }
  if (ending === 'late') {
    throw new PreviewFailed(`the program did not finish within ${timeoutSeconds} s`, [], details);
  }
  if (ending === 'lingering') {
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
    throw new PreviewFailed(
      `the program registered everything, but was still running after ${timeoutSeconds} s; so would a deployment`,
      [],
      [`open: ${open}`],
    );
  }
  if (ending === 'stuck') {
    throw new PreviewFailed(
      'the program waits for a promise that nothing can resolve any more',
      [],
      pending.length > 0 ? details : ['every resource that it made is registered'],
    );
  }
  if (pending.length > 0) {
    throw new PreviewFailed(
      'the program ended, but an input of a resource failed or never resolved',
      [],
      details,
    );
  }
}

/** A program runs in its own folder and does not see our arguments. */
function enterFolder(project: Project): () => void {
  const [directory, argv] = [process.cwd(), process.argv];
  if (project.directory !== directory) {
    process.chdir(project.directory);
  }
  process.argv = [argv[0] ?? 'node', project.entry];
  return () => {
    process.argv = argv;
    if (process.cwd() !== directory) {
      process.chdir(directory);
    }
  };
}

/** What to preview, and with which values. */
export interface PreviewOptions {
  /**
   * A folder with Pulumi.yaml, a file of a program, or a function that registers resources, as a test has it.
   * @default '.' - the program in the current folder
   */
  readonly program?: string | (() => unknown);
  /**
   * Name of the stack, with or without organization and project.
   * @default - the stack of the only Pulumi.STACK.yaml, else `dev`
   */
  readonly stack?: string | undefined;
  /**
   * Name of the project, for a function.
   * @default 'project' - as in Pulumi's own mocks; a program on disk has its own
   */
  readonly project?: string;
  /** Configuration values by key; they win over those in files. @default - only what files say */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What can't be known offline: a file, or the same as data. @default - it is unknown, and listed in the plan */
  readonly answers?: string | Answers | undefined;
  /** Seconds that the program may take. @default 120 */
  readonly timeoutSeconds?: number;
  /**
   * Whether to wait until the process has nothing else to do, as Pulumi does, so that resources made by timers
   * count, and a promise that can't resolve is noticed at once. Only for processes that do nothing else.
   * @default false - the plan is complete when the program's promise and every registration have resolved
   */
  readonly waitUntilIdle?: boolean;
  /** Called after each registration with the number of them. @default - not reported */
  readonly onRegistration?: (resources: number) => void;
}

/** The longest that a timer can wait, in seconds. */
const longestTimeout = 2_147_483;

const isText = (value: unknown): boolean => typeof value === 'string';

const previewOptions = object<PreviewOptions>({
  program: optional(
    either<string | (() => unknown)>(
      'a folder with Pulumi.yaml, a file of a program, or a function that registers resources',
      { when: isText, schema: text('a folder or a file') },
      { when: (value) => typeof value === 'function', schema: callback },
    ),
  ),
  stack: optional(text('the name of a stack')),
  project: optional(text('the name of a project')),
  config: optional(secret(opaque('an object of configuration values'))),
  // What is in them is evaluated as it is in a file.
  answers: optional(
    secret(
      either<string | Answers>(
        'a file of answers, or an object with invokes, stackReferences and secrets',
        { when: isText, schema: text('a file of answers') },
        { when: isPlainObject, schema: opaque('answers') },
      ),
    ),
  ),
  timeoutSeconds: optional(
    number(`seconds, more than 0 and at most ${longestTimeout}`, { above: 0, max: longestTimeout }),
  ),
  waitUntilIdle: optional(flag),
  onRegistration: optional(callback),
});

let running = false;

/**
 * Runs a Pulumi program as a preview of its first deployment would, in this process, without a cloud, an engine
 * or a login, and answers what it would register.
 *
 * Pulumi's runtime state, the working directory and the arguments belong to the whole process: they are set
 * for the time of the run, and only one preview can run at a time.
 *
 * @example
 * const plan = await preview({ program: 'infrastructure', stack: 'production' });
 * const rule = plan.resources.find(({ type }) => type === 'aws:lb/listenerRule:ListenerRule');
 *
 * @throws InvalidInput where the project's files, the configuration or the answers are wrong, all at once
 * @throws PreviewFailed where the program throws or doesn't finish
 */
export async function preview(options: PreviewOptions = {}): Promise<PreviewPlan> {
  refuseArguments('preview', previewOptions, options);
  if (running) {
    throw new Error('a preview is running in this process already: wait for it to end');
  }
  running = true;
  try {
    const answers = readOrCheck(options.answers);
    const problems = new Problems('preview');
    const project = projectOf(options, answers, problems);
    problems.throwIfAny();
    return await plan(project!, options, answers);
  } finally {
    running = false;
  }
}

function readOrCheck(answers: string | Answers | undefined): Answers {
  return typeof answers === 'string' ? readAnswers(answers) : checkAnswers(answers);
}

function projectOf(options: PreviewOptions, answers: Answers, problems: Problems): Project | undefined {
  const { program = '.', config, stack } = options;
  const { secrets } = answers;
  if (typeof program === 'string') {
    return readProject(program, { stack, config, secrets }, problems);
  }
  const name = options.project ?? 'project';
  return {
    name,
    ...stackName(stack),
    root: process.cwd(),
    directory: process.cwd(),
    entry: '.',
    typescript: false,
    configuration: joinConfiguration(
      { project: name, declared: {}, stack: {}, overrides: config ?? {}, secrets: secrets ?? {} },
      { project: (key) => key, stack: (key) => key ?? 'config', secrets: 'answers secrets' },
      problems,
    ),
    configurationFile: null,
    environments: [],
  };
}

async function plan(project: Project, options: PreviewOptions, answers: Answers): Promise<PreviewPlan> {
  const { program } = options;
  const sdk = loadSdk(typeof program === 'function' ? [project.directory, __dirname] : [project.directory]);
  const { configuration } = project;
  const transforms = new Transforms(sdk.messages);
  const monitor = new PreviewMonitor({
    transforms,
    project: project.name,
    stack: project.stack,
    region: configuration.values['aws:region'],
    answers,
    canConstruct: (type) => sdk.state.getResourceModules().has(type.slice(0, type.lastIndexOf(':'))),
    onRegistration: options.onRegistration ?? (() => undefined),
  });
  const callbacks = new RecordedCallbacks(sdk.callbackServer, transforms);
  const made = await runToEnd({
    project,
    sdk,
    monitor,
    callbacks,
    program: () => (typeof program === 'function' ? program() : runPulumiProgram(project, sdk)),
    timeoutSeconds: options.timeoutSeconds ?? 120,
    untilIdle: options.waitUntilIdle ?? false,
  });
  const resources = made.flatMap(({ urn }) => monitor.resources.get(urn) ?? []);
  return {
    schemaVersion,
    project: project.name,
    stack: project.stack,
    configurationFile: project.configurationFile,
    resources,
    outputs: monitor.outputs,
    notRun: { hooks: callbacks.hooks, transforms: callbacks.transforms },
    unknown: [
      ...project.environments.map((name) => ({ kind: 'environment' as const, name, times: 1 })),
      ...monitor.unknownResults,
    ],
    summary: summarize(resources),
  };
}
