import type { FleetConfiguration } from './configuration';

/**
 * A program that makes a fleet of its configuration: Pulumi with a stack, a Git repository that a pipeline deploys, or commands
 * of one's own. State, locks and secrets stay with it.
 */
export interface FleetProgram {
  /** `Pulumi stack production of ./infra` */
  readonly name: string;

  /** Whether it can be previewed; else a preview shows no change. @default true */
  readonly canPreview?: boolean;

  /**
   * How long a deployment may take to end once it is interrupted, in milliseconds: what comes next must not begin beside it.
   *
   * @default 120000
   */
  readonly endsWithinMs?: number;

  /** The commit that a deployment makes, where a pipeline does the rest. @default - it deploys by itself */
  readonly commit?: ProgramCommit;

  /**
   * What keeps it from being run, a line each: a program that is not there. Nothing is run.
   *
   * @default - nothing is known of that
   */
  problems?(): readonly string[];

  /** What its configuration says of the fleet now. */
  read(signal: AbortSignal): Promise<FleetConfiguration>;

  /**
   * Takes over the live weights as what is deployed, before traffic goes back: a shift that was held or interrupted has left others
   * than those that were deployed last. Nothing that serves is changed.
   *
   * @default - it compares with what is live by itself
   */
  takeOverWeights?(say: (line: string) => void, signal: AbortSignal): Promise<void>;

  /**
   * What a deployment of this configuration would change. Nothing is written.
   *
   * @param restore as in {@link ProgramDeployment}
   */
  preview(
    configuration: FleetConfiguration,
    signal: AbortSignal,
    restore?: DrainedSlot,
  ): Promise<readonly ProgramChange[]>;

  /**
   * Writes the configuration, unless it is there already, and deploys it; ends once it is deployed. Run again after a kill it
   * ends what was begun.
   *
   * @throws ProgramChanged where the configuration is neither the wanted one nor among the expected ones
   */
  deploy(change: ProgramDeployment, signal: AbortSignal): Promise<void>;

  /**
   * Takes back what a deployment has asked for and what is not done yet, such as an open pull request: the swap goes back.
   *
   * @default - a deployment asks no one for anything
   */
  withdraw?(say: (line: string) => void, signal: AbortSignal): Promise<void>;
}

/** A commit by which a configuration gets to the pipeline that deploys it. */
export interface ProgramCommit {
  /** Whether it is pushed to the branch, or gets there by a pull request that a person merges. */
  readonly by: 'push' | 'pullRequest';
  /** URL of the repository without a login; of one in a folder, its path. */
  readonly repository: string;
  /** The branch that is deployed. */
  readonly branch: string;
  /** The file that it changes. */
  readonly file: string;
}

/** What is to be deployed. */
export interface ProgramDeployment {
  /** The configuration that is to be there. */
  readonly configuration: FleetConfiguration;
  /** Configurations that may be there before. Any other one is refused by {@link ProgramChanged}. */
  readonly expected: readonly FleetConfiguration[];
  /**
   * A slot whose cluster gets traffic again after a drain: what the program has made in that cluster, and the drain has deleted, is
   * made again, and nothing else is changed. The configuration is the present one.
   *
   * @default - it is an ordinary deployment
   */
  readonly restore?: DrainedSlot;
  /**
   * Whether traffic returns, or what came with the swap goes. An unfinished shift is then taken back at once, without asking checks
   * that have not decided it.
   *
   * @default false
   */
  readonly back?: boolean;
  /** What it is for, in one line: title of a commit and of a pull request. */
  readonly title: string;
  /** Id of the swap, which is the same in each run of it. @default - not known */
  readonly swap?: string;
  /**
   * Whether a person who has refused it, by closing its pull request, is asked once more by the next run: the swap has no other way
   * on.
   *
   * @default false - what was refused stays so
   */
  readonly asksAnew?: boolean;
  /** Lines for a person, without a line break. */
  readonly say: (line: string) => void;
  /**
   * Why it must not be deployed any more: the slot that goes has got traffic. It is asked now and then by a program that waits for
   * a person, and then ends by {@link DeploymentRefused}.
   *
   * @default - nothing can come between
   */
  readonly refusedSince?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** A slot whose cluster a drain has emptied. */
export interface DrainedSlot {
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of the slot. */
  readonly slot: string;
}

/** One resource that a preview would change. */
export interface ProgramChange {
  /** What becomes of it. */
  readonly op: 'create' | 'update' | 'replace' | 'delete' | 'read' | 'other';
  /** `aws:eks/cluster:Cluster`; of a program that does not say it, empty. */
  readonly type: string;
  /** Its name, or its URN. */
  readonly name: string;
  /** Properties that differ. @default - not known */
  readonly properties?: readonly string[];
}

/** Somebody else has changed the configuration: what is there is neither what is wanted nor what is expected. */
export class ProgramChanged extends Error {
  public constructor(
    message: string,
    /** What is there. */
    public readonly found: FleetConfiguration,
  ) {
    super(message);
    this.name = 'ProgramChanged';
  }
}

/** While a person was waited for, something has happened that it must not be deployed after. Nothing was. */
export class DeploymentRefused extends Error {}

/** The program can't be asked: what has become of a deployment is not known, and nothing is undone for that. */
export class ProgramUnreachable extends Error {
  public constructor(
    message: string,
    /** Whether another try may help: the service is away, or limits requests. Else a token or a right is missing. */
    public readonly passes: boolean,
  ) {
    super(message);
    this.name = 'ProgramUnreachable';
  }
}
