import { resolve } from 'node:path';
import { sleep } from '../../../core/async';
import { parseDuration } from '../../../core/durations';
import { runProgram } from '../../../core/process/run-program';
import type { RunProgram } from '../../../core/process/run-program';
import { refuseArguments } from '../../../core/validation/arguments';
import { list, object, optional } from '../../../core/validation/collections';
import { errorLine, InvalidInput } from '../../../core/validation/problems';
import { problemsOf } from '../../../core/validation/schema';
import type { PlacedProblem, Schema } from '../../../core/validation/schema';
import { duration, oneOf, text } from '../../../core/validation/values';
import { again } from '../again';
import type { FleetConfiguration } from '../configuration';
import { sameConfiguration } from '../configuration';
import type { DrainedSlot, FleetProgram, ProgramChange, ProgramDeployment } from '../program';
import { checkExpected, configurationText } from './expected';
import { fleetProblems } from './fleet-values';
import { isProgramThere } from './on-path';
import { commandSchema, runCommand, shownLine } from './run-command';
import type { CommandEnd } from './run-command';

/**
 * Programs of one's own that know the fleet's configuration and deploy it. Each is a list of a program and its arguments, run
 * without a shell in the folder of the swap file, with the environment of this process. It reads one JSON document on stdin:
 *
 * | command | stdin | stdout |
 * |---|---|---|
 * | `read` | `{"schemaVersion":1,"ask":"read"}` | a configuration |
 * | `preview` | `{"schemaVersion":1,"ask":"preview","configuration":…}` | `{"changes":[{"op":"create","type":"…","name":"…","properties":["…"]}]}` |
 * | `deploy` | `{"schemaVersion":1,"ask":"deploy","configuration":…,"expected":[…],"title":"…"}` | lines for a person |
 *
 * A configuration is `{"slots":{"blue":"1.35","green":"1.36"},"weights":{"blue":100,"green":0}}`, with `active` in place of
 * `weights` for a fleet of hubs. A change's `op` is create, update, replace, delete, read or other; `type` may be empty.
 * Status 0 means that it is done. `deploy` writes the configuration unless it is there already, and ends once it is deployed;
 * run again after a kill it ends what was begun. It answers status 3, having changed nothing, where the configuration is neither
 * the wanted one nor among `expected`.
 *
 * On the way back `deploy` also gets `"back":true`: it takes an unfinished shift back at once, as `pulumi up` does with
 * `CLUSTER_CANARY_TAKE_BACK=true`. After a drain, `preview` and `deploy` also get `"restore":{"fleet":"apps","slot":"blue"}`: they
 * make the objects of that slot's cluster again that are missing. The configuration is there already.
 *
 * @example
 * program:
 *   commands:
 *     read: [./fleet.py, read]
 *     preview: [./fleet.py, plan]
 *     deploy: [./fleet.py, apply]
 */
export interface CommandsProgramSettings {
  /**
   * Gets `{"schemaVersion":1,"ask":"read"}` on stdin, and prints the configuration:
   * `{"slots":{"blue":"1.35","green":"1.36"},"weights":{"blue":100,"green":0}}`, of hubs with `active` in place of `weights`. It may
   * take a minute.
   */
  readonly read: readonly string[];
  /**
   * Gets the `configuration` on stdin, and prints what its deployment would change: `{"changes":[{"op":"create","type":"","name":"green"}]}`,
   * where `op` is create, update, replace, delete, read or other. It may take 15 minutes.
   *
   * @default - what a deployment changes is not looked at before
   */
  readonly preview?: readonly string[];
  /**
   * Gets `configuration`, `expected` and `title` on stdin, on the way back also `"back":true`, after a drain `restore`. It writes and
   * deploys the configuration. Status 3, with nothing changed: another configuration than the wanted or an expected one is there.
   */
  readonly deploy: readonly string[];
  /** How long a deployment may take. @default '6h' - as long as the phase `shift` */
  readonly timeout?: string;
}

/** What a swap file may say of one's own programs. */
export const commandsProgramSchema: Schema<CommandsProgramSettings> = object<CommandsProgramSettings>({
  read: commandSchema,
  preview: optional(commandSchema),
  deploy: commandSchema,
  timeout: optional(duration),
});

/** In milliseconds. */
const patience = { read: 60_000, preview: 15 * 60_000, deploy: 6 * 60 * 60_000 };

/** From SIGTERM to SIGKILL, in milliseconds: what deploys has something to end. */
const grace = { read: 3_000, preview: 10_000, deploy: 10 * 60_000 };

/** The last signal and what it leaves behind take a moment. In milliseconds. */
const afterGrace = 15_000;

/** Status of a `deploy` that has found another configuration. */
const changedStatus = 3;

/** What `commandsProgram` takes besides the settings. */
export interface CommandsProgramOptions {
  /** Folder that the programs run in: that of the swap file. @default - the current one */
  readonly base?: string;
  /** Runs a program. @default - on this machine */
  readonly run?: RunProgram;
  /** Waits before another try. @default - by this machine's timers */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Programs of one's own as the program of a swap.
 *
 * @throws InvalidInput for settings that can't be used
 */
export function commandsProgram(
  settings: CommandsProgramSettings,
  options: CommandsProgramOptions = {},
): FleetProgram {
  refuseArguments('commands', commandsProgramSchema, settings);
  return new CommandsProgram(settings, options);
}

const asks = ['read', 'preview', 'deploy'] as const;
type Ask = (typeof asks)[number];

class CommandsProgram implements FleetProgram {
  public readonly name: string;
  public readonly canPreview: boolean;
  public readonly endsWithinMs = grace.deploy + afterGrace;
  private readonly folder: string;

  public constructor(
    private readonly settings: CommandsProgramSettings,
    private readonly options: CommandsProgramOptions,
  ) {
    const [read, deploy] = [settings.read, settings.deploy].map((command) => shownLine(command.join(' ')));
    this.name = read === deploy ? `the command ${deploy}` : `the commands ${read} and ${deploy}`;
    this.folder = resolve(options.base ?? '.');
    this.canPreview = settings.preview !== undefined;
  }

  public problems(): readonly string[] {
    return asks.flatMap((ask) => {
      const [program] = this.settings[ask] ?? [];
      return program === undefined || isProgramThere(program, this.folder)
        ? []
        : [`${keyOf(ask)}: ${shownLine(program)}: no program of that name in ${this.folder} or PATH`];
    });
  }

  public async read(signal: AbortSignal): Promise<FleetConfiguration> {
    const end = await this.run('read', {}, signal);
    return answerOf<FleetConfiguration>(
      { subject: this.called('read'), example: '{"slots":{"blue":"1.35"},"weights":{"blue":100}}' },
      this.ended('read', end).stdout,
      fleetProblems,
    );
  }

  public async preview(
    configuration: FleetConfiguration,
    signal: AbortSignal,
    restore?: DrainedSlot,
  ): Promise<readonly ProgramChange[]> {
    if (this.settings.preview === undefined) {
      return [];
    }
    const question = { configuration, ...(restore !== undefined && { restore }) };
    const end = await this.run('preview', question, signal);
    const { changes } = answerOf<Changes>(
      { subject: this.called('preview'), example: '{"changes":[]}' },
      this.ended('preview', end).stdout,
      (answer) => problemsOf(changesSchema, answer),
    );
    return changes;
  }

  public async deploy(change: ProgramDeployment, signal: AbortSignal): Promise<void> {
    const { configuration, expected, title, back, restore, say } = change;
    checkExpected(await this.readAgain(say, signal), change, this.called('read'));
    const question = {
      ...{ configuration, expected, title },
      ...(back && { back }),
      ...(restore !== undefined && { restore }),
    };
    const end = await this.run('deploy', question, signal, say);
    if (end.status === changedStatus) {
      const other = await this.readAgain(say, signal);
      checkExpected(other, change, this.called('deploy'));
      throw new Error(
        `${this.called('deploy')} ended with status ${changedStatus}, which says that the configuration is none that is expected; ` +
          `${this.called('read')} says ${configurationText(other)}, which is one of those`,
      );
    }
    this.ended('deploy', end);
    const found = await this.readAgain(say, signal);
    if (!sameConfiguration(found, configuration)) {
      throw new Error(
        `${this.called('deploy')} has ended well, but ${this.called('read')} says ${configurationText(found)} in place of ` +
          configurationText(configuration),
      );
    }
  }

  /** A deployment of hours must not fail since one call around it had no answer. */
  private readAgain(say: (line: string) => void, signal: AbortSignal): Promise<FleetConfiguration> {
    const { pause = sleep } = this.options;
    const isFinal = (error: unknown): boolean => error instanceof InvalidInput;
    const onRetry = (error: unknown): void => say(`${errorLine(error)}; it is run again`);
    return again(() => this.read(signal), { isFinal, onRetry, pause, firstPauseMs: 2_000 }, signal);
  }

  private async run(
    ask: Ask,
    question: object,
    signal: AbortSignal,
    say?: (line: string) => void,
  ): Promise<CommandEnd> {
    const { timeout } = this.settings;
    const own = ask === 'deploy' && timeout !== undefined ? parseDuration(timeout) : undefined;
    const call = {
      command: this.settings[ask]!,
      folder: this.folder,
      input: { schemaVersion: 1, ask, ...question },
      timeoutMs: own ?? patience[ask],
      graceMs: grace[ask],
      ...(say && { say }),
    };
    try {
      return await runCommand(this.options.run ?? runProgram, call, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${keyOf(ask)}: ${errorLine(error)}`, { cause: error });
    }
  }

  private ended(ask: Ask, end: CommandEnd): CommandEnd {
    if (end.status !== 0) {
      throw new Error(`${this.called(ask)} ended with status ${end.status}${end.said && `: ${end.said}`}`);
    }
    return end;
  }

  private called(ask: Ask): string {
    return `${keyOf(ask)}: ${shownLine(this.settings[ask]!.join(' '))}`;
  }
}

/** Where a swap file says the command. */
function keyOf(ask: Ask): string {
  return `program.commands.${ask}`;
}

interface Changes {
  readonly changes: readonly ProgramChange[];
}

const changesSchema = object<Changes>({
  changes: list(
    object<ProgramChange>({
      op: oneOf('create', 'update', 'replace', 'delete', 'read', 'other'),
      type: text('a text, maybe an empty one', undefined, 1_000),
      name: text('a text', undefined, 10_000),
      properties: optional(list(text('a text', undefined, 1_000))),
    }),
  ),
});

/** What a command has written, which is one JSON document. Text that is none may hold a secret, and is not shown. */
function answerOf<T>(
  { subject, example }: { readonly subject: string; readonly example: string },
  stdout: string,
  problems: (answer: unknown) => readonly PlacedProblem[],
): T {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    // It may have been cut off: another try may help.
    throw new Error(`${subject}: stdout: must be one JSON document, such as ${example}`);
  }
  const found = problems(answer);
  if (found.length > 0) {
    throw new InvalidInput(
      subject,
      found.map(({ steps: _steps, ...problem }) => ({ ...problem, path: problem.path || 'stdout' })),
    );
  }
  return answer as T;
}
