import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import type { Answers } from './answers';
import { checkAnswers, readAnswers } from './answers';
import { RecordedCallbacks } from './callbacks';
import { joinConfiguration } from './configuration';
import { PreviewMonitor } from './monitor';
import type { Plan } from './plan';
import { schemaVersion, summarize } from './plan';
import { runProgram } from './program';
import type { Project } from './project';
import { readProject, stackName } from './project';
import { runToEnd } from './run';
import { loadSdk } from './sdk';
import { Transforms } from './transforms';

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

const previewOptionsKeys: OptionsOf<PreviewOptions> = {
  program: 'open',
  stack: 'plain',
  project: 'plain',
  config: 'open',
  answers: 'open',
  timeoutSeconds: 'plain',
  waitUntilIdle: 'plain',
  onRegistration: 'open',
};

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
export async function preview(options: PreviewOptions = {}): Promise<Plan> {
  refuseOptions('preview', options, previewOptionsKeys);
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

async function plan(project: Project, options: PreviewOptions, answers: Answers): Promise<Plan> {
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
    program: () => (typeof program === 'function' ? program() : runProgram(project, sdk)),
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
